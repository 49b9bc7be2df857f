#!/usr/bin/env python3
"""Writes headwater/types.py, the types of results in Python, from what `headwater serve --openapi` prints.

    tools/write_python_types.py PROGRAM OUTPUT

The build does it (python/CMakeLists.txt).
"""

import json
import pathlib
import subprocess
import sys

# What the package hands out, and the names it has there.
RESULTS = ["Evaluation", "Heads", "Identification", "ModelTest", "Pruning", "Report", "Tree", "Triggers", "Prediction", "ModelInfo"]
HEAD = '''"""The types of what Headwater measures, as its dictionaries and JSON files hold it.

This file is made of the program's own lists of fields when the package is built. A number that is not finite is None.
"""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, TypedDict

Number = Optional[float]
'''


class Writer:
    def __init__(self, schemas):
        self.schemas, self.made = schemas, {}

    def type_of(self, schema, name):
        """The Python type of a schema; objects become classes, called `name` unless the document names them."""
        if "$ref" in schema:
            name = schema["$ref"].rpartition("/")[2]
            self.write(name, self.schemas[name])
            return name
        kind = schema.get("type")
        if "enum" in schema:
            made = f"Literal[{', '.join(repr(value) for value in schema['enum'] if value is not None)}]"
        elif kind == "array":
            made = f"List[{self.type_of(schema['items'], name)}]"
        elif kind == "object" and "properties" in schema:
            self.write(name, schema)
            made = name
        elif kind == "object" and isinstance(schema.get("additionalProperties"), dict):
            made = f"Dict[str, {self.type_of(schema['additionalProperties'], name)}]"
        else:
            made = {"string": "str", "boolean": "bool", "integer": "int", "number": "Number"}.get(kind, "Any")
        return f"Optional[{made}]" if schema.get("nullable") and made != "Number" else made

    def write(self, name, schema):
        if name in self.made:
            return
        self.made[name] = ""  # its place: what it uses comes after it
        required = schema.get("required", [])
        fields = {key: self.type_of(one, name + "".join(word.title() for word in key.split("_")))
                  for key, one in schema["properties"].items()}
        always = [f"    {key}: {kind}" for key, kind in fields.items() if key in required]
        maybe = [f"    {key}: {kind}" for key, kind in fields.items() if key not in required]
        text = "\n\n"
        if always:
            text += "\n".join([f"class {'_' if maybe else ''}{name}(TypedDict):", *always]) + "\n"
        if maybe:
            text += ("\n\n" if always else "")
            text += "\n".join([f"class {name}({'_' + name if always else 'TypedDict'}, total=False):", *maybe]) + "\n"
        self.made[name] = text


def main():
    program, output = sys.argv[1:]
    said = subprocess.run([program, "serve", "--openapi"], check=True, capture_output=True, text=True).stdout
    writer = Writer(json.loads(said)["components"]["schemas"])
    for name in RESULTS:
        writer.write(name, writer.schemas[name])
    pathlib.Path(output).write_text(HEAD + "".join(writer.made.values()), encoding="utf-8")


if __name__ == "__main__":
    main()
