import { Document, Scalar, YAMLMap, YAMLSeq } from 'yaml';
import { plainScalar } from './scalars.ts';
import { Decimal, isList, isMapping, type Mapping, type Value } from './values.ts';

/** The configuration as one file, for the lint answer: nothing in it stands for anything else any more. */
export function mergedYaml(root: Mapping): string {
  const document = new Document(node(root), { schema: 'failsafe', aliasDuplicateObjects: false });
  return `---\n${document.toString({ lineWidth: 0, indentSeq: false })}`;
}

function node(value: Value): unknown {
  if (isMapping(value)) {
    const map = new YAMLMap();
    for (const [key, inner] of value) map.add({ key: scalar(key), value: node(inner) });
    map.flow = value.size === 0;
    return map;
  }
  if (isList(value)) {
    const list = new YAMLSeq();
    for (const inner of value) list.items.push(node(inner));
    list.flow = value.length === 0;
    return list;
  }
  return scalar(value);
}

/** Text that would be read as something else is quoted; all else is written as the reader takes it. */
function scalar(value: Value): Scalar {
  if (typeof value !== 'string') {
    const bare = new Scalar(value === null ? '' : value instanceof Decimal ? value.text : String(value));
    bare.type = Scalar.PLAIN;
    return bare;
  }
  const text = new Scalar(value);
  if (value === '<<' || plainScalar(value) !== value) text.type = Scalar.QUOTE_DOUBLE;
  else if (value.includes('\n')) text.type = Scalar.BLOCK_LITERAL;
  return text;
}
