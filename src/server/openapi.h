// The document that describes the service (OpenAPI 3.0), made from the records of methods and evaluations.
#pragma once

#include <string>

#include "base/json.h"

namespace headwater {

std::string openapi_text();  // ends with a line break; web/openapi.json is a copy of it

// What it is made of.
OrderedJson openapi_schemas();

// Schemas by hand.
OrderedJson schema_ref(const std::string& name);
OrderedJson schema_of(const char* type, const char* description = "");
OrderedJson schema_list(OrderedJson items, int most = 0);
OrderedJson schema_object(OrderedJson properties, const std::vector<std::string>& required = {});

}  // namespace headwater
