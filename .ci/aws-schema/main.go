// Copyright the pulsar-broadcast authors. SPDX-License-Identifier: Apache-2.0

// Command terraform-provider-aws has the schema of the AWS provider and nothing else: "terraform validate" and
// "terraform test" with a mocked provider need no more. It creates nothing and talks to nobody.
//
// The schema is the JSON that "terraform providers schema -json" prints; AWS_SCHEMA names the file.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tfprotov5/tf5server"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

const address = "registry.terraform.io/hashicorp/aws"

// The types that deploy/aws-terraform uses would do; all of them cost half a second.
type document struct {
	ProviderSchemas map[string]struct {
		Provider    schema            `json:"provider"`
		Resources   map[string]schema `json:"resource_schemas"`
		DataSources map[string]schema `json:"data_source_schemas"`
	} `json:"provider_schemas"`
}

type schema struct {
	Version int64 `json:"version"`
	Block   block `json:"block"`
}

type block struct {
	Attributes map[string]attribute   `json:"attributes"`
	Blocks     map[string]nestedBlock `json:"block_types"`
}

type attribute struct {
	Type      json.RawMessage `json:"type"`
	Nested    *nestedType     `json:"nested_type"`
	Required  bool            `json:"required"`
	Optional  bool            `json:"optional"`
	Computed  bool            `json:"computed"`
	Sensitive bool            `json:"sensitive"`
	WriteOnly bool            `json:"write_only"`
}

type nestedType struct {
	Attributes map[string]attribute `json:"attributes"`
	Nesting    string               `json:"nesting_mode"`
}

type nestedBlock struct {
	Nesting string `json:"nesting_mode"`
	Block   block  `json:"block"`
	Min     int64  `json:"min_items"`
	Max     int64  `json:"max_items"`
}

var nestings = map[string]tfprotov5.SchemaNestedBlockNestingMode{
	"single": tfprotov5.SchemaNestedBlockNestingModeSingle,
	"group":  tfprotov5.SchemaNestedBlockNestingModeGroup,
	"list":   tfprotov5.SchemaNestedBlockNestingModeList,
	"set":    tfprotov5.SchemaNestedBlockNestingModeSet,
	"map":    tfprotov5.SchemaNestedBlockNestingModeMap,
}

func (a attribute) terraformType() (tftypes.Type, error) {
	if a.Nested == nil {
		return tftypes.ParseJSONType(a.Type) //nolint:staticcheck // the only parser of this format
	}
	// Protocol 5 has no nested attributes: the same shape as an object type.
	object := tftypes.Object{AttributeTypes: map[string]tftypes.Type{}, OptionalAttributes: map[string]struct{}{}}
	for name, inner := range a.Nested.Attributes {
		innerType, err := inner.terraformType()
		if err != nil {
			return nil, err
		}
		object.AttributeTypes[name] = innerType
	}
	switch a.Nested.Nesting {
	case "list":
		return tftypes.List{ElementType: object}, nil
	case "set":
		return tftypes.Set{ElementType: object}, nil
	case "map":
		return tftypes.Map{ElementType: object}, nil
	default:
		return object, nil
	}
}

func (b block) convert() (*tfprotov5.SchemaBlock, error) {
	converted := &tfprotov5.SchemaBlock{}
	for name, a := range b.Attributes {
		attributeType, err := a.terraformType()
		if err != nil {
			return nil, fmt.Errorf("attribute %s: %w", name, err)
		}
		converted.Attributes = append(converted.Attributes, &tfprotov5.SchemaAttribute{
			Name: name, Type: attributeType, Required: a.Required, Optional: a.Optional, Computed: a.Computed,
			Sensitive: a.Sensitive, WriteOnly: a.WriteOnly,
		})
	}
	for name, nested := range b.Blocks {
		inner, err := nested.Block.convert()
		if err != nil {
			return nil, fmt.Errorf("block %s: %w", name, err)
		}
		converted.BlockTypes = append(converted.BlockTypes, &tfprotov5.SchemaNestedBlock{
			TypeName: name, Block: inner, Nesting: nestings[nested.Nesting], MinItems: nested.Min, MaxItems: nested.Max,
		})
	}
	return converted, nil
}

func convertAll(all map[string]schema) (map[string]*tfprotov5.Schema, error) {
	converted := make(map[string]*tfprotov5.Schema, len(all))
	for name, s := range all {
		b, err := s.Block.convert()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		converted[name] = &tfprotov5.Schema{Version: s.Version, Block: b}
	}
	return converted, nil
}

func read(path string) (*tfprotov5.GetProviderSchemaResponse, error) {
	bytes, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var parsed document
	if err := json.Unmarshal(bytes, &parsed); err != nil {
		return nil, err
	}
	provider, found := parsed.ProviderSchemas[address]
	if !found {
		return nil, fmt.Errorf("%s has no schema of %s", path, address)
	}
	response := &tfprotov5.GetProviderSchemaResponse{}
	own, err := provider.Provider.Block.convert()
	if err != nil {
		return nil, err
	}
	response.Provider = &tfprotov5.Schema{Version: provider.Provider.Version, Block: own}
	if response.ResourceSchemas, err = convertAll(provider.Resources); err != nil {
		return nil, err
	}
	response.DataSourceSchemas, err = convertAll(provider.DataSources)
	return response, err
}

// server answers what validation asks. Its embedded interface is nil: whatever else is called ends the process.
type server struct {
	tfprotov5.ProviderServer
	schema *tfprotov5.GetProviderSchemaResponse
}

func (s server) GetMetadata(context.Context, *tfprotov5.GetMetadataRequest) (*tfprotov5.GetMetadataResponse, error) {
	return &tfprotov5.GetMetadataResponse{}, nil
}

func (s server) GetProviderSchema(
	context.Context, *tfprotov5.GetProviderSchemaRequest,
) (*tfprotov5.GetProviderSchemaResponse, error) {
	return s.schema, nil
}

func (s server) GetResourceIdentitySchemas(
	context.Context, *tfprotov5.GetResourceIdentitySchemasRequest,
) (*tfprotov5.GetResourceIdentitySchemasResponse, error) {
	return &tfprotov5.GetResourceIdentitySchemasResponse{}, nil
}

func (s server) PrepareProviderConfig(
	_ context.Context, request *tfprotov5.PrepareProviderConfigRequest,
) (*tfprotov5.PrepareProviderConfigResponse, error) {
	return &tfprotov5.PrepareProviderConfigResponse{PreparedConfig: request.Config}, nil
}

func (s server) ValidateResourceTypeConfig(
	context.Context, *tfprotov5.ValidateResourceTypeConfigRequest,
) (*tfprotov5.ValidateResourceTypeConfigResponse, error) {
	return &tfprotov5.ValidateResourceTypeConfigResponse{}, nil
}

func (s server) ValidateDataSourceConfig(
	context.Context, *tfprotov5.ValidateDataSourceConfigRequest,
) (*tfprotov5.ValidateDataSourceConfigResponse, error) {
	return &tfprotov5.ValidateDataSourceConfigResponse{}, nil
}

func (s server) StopProvider(context.Context, *tfprotov5.StopProviderRequest) (*tfprotov5.StopProviderResponse, error) {
	return &tfprotov5.StopProviderResponse{}, nil
}

func main() {
	schema, err := read(os.Getenv("AWS_SCHEMA"))
	if err != nil {
		log.Fatalf("AWS_SCHEMA is %q: %v", os.Getenv("AWS_SCHEMA"), err)
	}
	if err := tf5server.Serve(address, func() tfprotov5.ProviderServer { return server{schema: schema} }); err != nil {
		log.Fatal(err)
	}
}
