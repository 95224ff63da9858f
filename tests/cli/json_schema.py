"""json_schema.py SCHEMA FILE... - each file is as the schema says, and no command of the schema
is left out. A table has the columns of its rows, in their order."""
import json
import sys

import jsonschema

schema = json.load(open(sys.argv[1]))
jsonschema.Draft7Validator.check_schema(schema)
seen, failures = set(), 0
for path in sys.argv[2:]:
    document = json.load(open(path))
    name = document['command']
    seen.add(name)
    validator = jsonschema.Draft7Validator({'$ref': f'#/definitions/{name}', 'definitions': schema['definitions']})
    complaints = [f'{"/".join(map(str, e.absolute_path))}: {e.message[:300]}' for e in validator.iter_errors(document)]
    known = set(schema['definitions'][name]['properties'])
    complaints += [f'the schema lacks {key}' for key in document if key not in known]
    for key, table in document.items():
        if isinstance(table, dict):
            columns = [column['name'] for column in table['columns']]
            described = schema['definitions'][name]['properties'].get(key, {})
            complaints += [f'{key}: a row has {list(row)}, the columns are {columns}' for row in table['rows'][:1] if list(row) != columns]
            rows = schema['definitions'].get(described.get('$ref', '').rpartition('/')[2], {}).get('properties', {}).get('rows', {})
            complaints += [f'{key}: the schema lacks the column {c}' for c in columns if c not in rows.get('items', {}).get('properties', {})]
    for complaint in complaints[:5]:
        print(f'FAILED: {name} ({path}): {complaint}')
    failures += len(complaints)
commands = {name for name in schema['definitions'] if 'command' in schema['definitions'][name].get('properties', {})}
for name in sorted(commands - seen):
    print(f'FAILED: nothing was printed by {name}')
    failures += 1
sys.exit(failures > 0)
