/* Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0 */
package io.pulsarbroadcast.it;

import io.jsonwebtoken.Jwts;
import io.jsonwebtoken.SignatureAlgorithm;
import io.jsonwebtoken.security.Keys;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.util.SelfSignedCertificate;
import io.pulsarbroadcast.process.FreePorts;
import io.pulsarbroadcast.process.PulsarProcess;
import io.pulsarbroadcast.process.PulsarProcessBuilder;
import io.pulsarbroadcast.process.PulsarProxy;
import java.io.IOException;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import javax.crypto.SecretKey;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import org.apache.pulsar.client.admin.PulsarAdmin;
import org.apache.pulsar.client.admin.PulsarAdminException;
import org.apache.pulsar.client.api.AuthenticationFactory;
import org.apache.pulsar.client.api.ClientBuilder;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.common.policies.data.AuthAction;

/**
 * A broker with the NAR that authenticates by token or certificate, authorizes, and has second
 * ports with TLS on which clients need a certificate. Expired tokens are noticed within a second.
 * Stateless apart from that; any thread may call it.
 */
final class SecureBroker implements AutoCloseable {

  /** Of the certificate that the broker trusts. */
  static final String ROLE_OF_CERTIFICATE = "localhost";

  private static final String TOKEN_PLUGIN =
      "org.apache.pulsar.client.impl.auth.AuthenticationToken";
  private static final int OPERATION_TIMEOUT_SECONDS = 60;

  private final SecretKey key = Keys.secretKeyFor(SignatureAlgorithm.HS256);
  private final SelfSignedCertificate brokerCertificate = selfSigned();
  private final SelfSignedCertificate clientCertificate = selfSigned();
  private final SelfSignedCertificate strangersCertificate = selfSigned();
  private final int[] tlsPorts = FreePorts.find(2);
  private final PulsarProcess process;
  private final PulsarAdmin admin;

  SecureBroker() throws IOException, InterruptedException {
    PulsarProcessBuilder builder =
        BrokerExtension.newBroker()
            .name("secure")
            .adminToken(token("admin"))
            .setting("authenticationRefreshCheckSeconds", "1")
            .setting("proxyRoles", "proxy")
            .setting("authenticateOriginalAuthData", "true")
            .setting("brokerServicePortTls", Integer.toString(tlsPorts[0]))
            .setting("webServicePortTls", Integer.toString(tlsPorts[1]))
            .setting("tlsCertificateFilePath", brokerCertificate.certificate().getPath())
            .setting("tlsKeyFilePath", brokerCertificate.privateKey().getPath())
            .setting("tlsTrustCertsFilePath", clientCertificate.certificate().getPath())
            .setting("tlsRequireTrustedClientCertOnConnect", "true");
    authentication("admin").forEach(builder::setting);
    process = builder.build();
    try {
      process.start();
      admin =
          PulsarAdmin.builder()
              .serviceHttpUrl(process.adminUrl())
              .authentication(AuthenticationFactory.token(token("admin")))
              .build();
    } catch (IOException | InterruptedException | RuntimeException e) {
      process.close();
      throw e;
    }
  }

  /** Settings that brokers and proxies have in common; {@code role} is what they are themselves. */
  private Map<String, String> authentication(String role) {
    Map<String, String> settings = new HashMap<>();
    settings.put("authenticationEnabled", "true");
    settings.put(
        "authenticationProviders",
        "org.apache.pulsar.broker.authentication.AuthenticationProviderToken,"
            + "org.apache.pulsar.broker.authentication.AuthenticationProviderTls");
    settings.put("authorizationEnabled", "true");
    settings.put("superUserRoles", "admin,proxy");
    settings.put(
        "tokenSecretKey", "data:;base64," + Base64.getEncoder().encodeToString(key.getEncoded()));
    settings.put("brokerClientAuthenticationPlugin", TOKEN_PLUGIN);
    settings.put("brokerClientAuthenticationParameters", "token:" + token(role));
    return settings;
  }

  /** The distribution's proxy in front of this broker, which passes the clients' tokens on. */
  PulsarProxy newProxy() throws IOException, InterruptedException {
    Map<String, String> settings = authentication("proxy");
    // The broker authorizes; a proxy that does as well needs access to the metadata store.
    settings.put("authorizationEnabled", "false");
    settings.put("forwardAuthorizationCredentials", "true");
    return PulsarProxy.start(
        Path.of(System.getProperty("pulsar.home")),
        process,
        settings,
        Path.of(System.getProperty("broker.logs")));
  }

  PulsarAdmin admin() {
    return admin;
  }

  String adminUrl() {
    return process.adminUrl();
  }

  String tlsAdminUrl() {
    return "https://localhost:" + tlsPorts[1];
  }

  /** Trusts the broker, with the certificate that the broker trusts or one that it does not. */
  SSLContext tls(boolean trusted) throws SSLException {
    SelfSignedCertificate own = trusted ? clientCertificate : strangersCertificate;
    SslContext context =
        SslContextBuilder.forClient()
            .sslProvider(SslProvider.JDK)
            .trustManager(brokerCertificate.certificate())
            .keyManager(own.certificate(), own.privateKey())
            .build();
    return ((JdkSslContext) context).context();
  }

  /** A token that does not expire while the tests run. */
  String token(String role) {
    return token(role, Duration.ofHours(1));
  }

  /** A token that expires after that time; before, when it is negative. */
  String token(String role, Duration lifetime) {
    return Jwts.builder()
        .setSubject(role)
        .setExpiration(Date.from(Instant.now().plus(lifetime)))
        .signWith(key)
        .compact();
  }

  /** A namespace where nobody but the superusers may do anything yet. */
  String newNamespace() throws PulsarAdminException {
    String namespace = "public/" + UUID.randomUUID();
    admin.namespaces().createNamespace(namespace);
    return namespace;
  }

  void allow(String namespace, String role, AuthAction... actions) throws PulsarAdminException {
    admin.namespaces().grantPermissionOnNamespace(namespace, role, Set.of(actions));
  }

  /** A client without a token, which gives up soon. */
  ClientBuilder clientBuilder() {
    return clientBuilder(process.serviceUrl());
  }

  static ClientBuilder clientBuilder(String serviceUrl) {
    return PulsarClient.builder()
        .serviceUrl(serviceUrl)
        .operationTimeout(OPERATION_TIMEOUT_SECONDS, TimeUnit.SECONDS)
        .lookupTimeout(OPERATION_TIMEOUT_SECONDS, TimeUnit.SECONDS)
        .maxBackoffInterval(1, TimeUnit.SECONDS);
  }

  PulsarClient client(String role) throws IOException {
    return clientBuilder().authentication(AuthenticationFactory.token(token(role))).build();
  }

  /** A client that trusts the broker's certificate and has the one that the broker trusts. */
  ClientBuilder tlsClientBuilder(String role) {
    return withCertificate(
        clientBuilder("pulsar+ssl://127.0.0.1:" + tlsPorts[0])
            .tlsTrustCertsFilePath(brokerCertificate.certificate().getPath())
            .authentication(AuthenticationFactory.token(token(role))),
        clientCertificate);
  }

  /** The same with a certificate that the broker does not trust. */
  ClientBuilder tlsClientWithStrangersCertificate(String role) {
    return withCertificate(tlsClientBuilder(role), strangersCertificate);
  }

  /** The same, but the client does not trust the broker. */
  ClientBuilder tlsClientThatTrustsAnother(String role) {
    return tlsClientBuilder(role)
        .tlsTrustCertsFilePath(strangersCertificate.certificate().getPath());
  }

  private static ClientBuilder withCertificate(
      ClientBuilder client, SelfSignedCertificate certificate) {
    return client
        .tlsCertificateFilePath(certificate.certificate().getPath())
        .tlsKeyFilePath(certificate.privateKey().getPath());
  }

  private static SelfSignedCertificate selfSigned() {
    try {
      return new SelfSignedCertificate(ROLE_OF_CERTIFICATE);
    } catch (CertificateException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() throws IOException {
    admin.close();
    process.close();
    brokerCertificate.delete();
    clientCertificate.delete();
    strangersCertificate.delete();
  }
}
