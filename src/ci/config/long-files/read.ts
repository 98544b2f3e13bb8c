import { Thread } from '../../../platform/threads/thread.ts';
import { ConfigFault } from '../errors.ts';
import type { Budget } from '../limits.ts';
import { Decimal, Reference, type Value } from '../yaml/values.ts';
import { readYaml, type YamlFile } from '../yaml/yaml.ts';
import type { Answer, ParseTask } from './work.ts';

/** Shorter files take a few milliseconds to read. */
const long = 16_384;

const thread = new Thread<ParseTask, Answer>(new URL('./worker.ts', import.meta.url), {
  patience: 10_000,
  waiting: 64,
});

/** Reads one file of configuration; a long one in a thread: half a megabyte takes half a second of everybody's time. */
export async function readYamlFile(text: string, file: string | null, budget: Budget): Promise<YamlFile> {
  if (text.length < long) return readYaml(text, file, budget);
  const answer = await thread.ask({ text, file, values: budget.remaining });
  if (answer === undefined) throw new ConfigFault('The configuration takes too long to read', null, file);
  if ('fault' in answer) throw new ConfigFault(answer.fault.message, answer.fault.line, answer.fault.file);
  budget.spend(answer.spent);
  const { header, content, lines } = answer.yaml;
  const seen = new Set<object>();
  revive(header, seen);
  revive(content, seen);
  return { header, content, lines };
}

/**
 * Values come over from the thread without their classes: gives those back, in place. What aliases share is still shared,
 * and looked at once.
 */
function revive(value: unknown, seen: Set<object>): void {
  if (typeof value !== 'object' || value === null || seen.has(value)) return;
  seen.add(value);
  if (value instanceof Map) {
    for (const [key, inner] of value) value.set(key, revived(inner, seen));
  } else if (Array.isArray(value)) {
    for (const [index, inner] of value.entries()) value[index] = revived(inner, seen);
  }
}

function revived(value: Value | Decimal | Reference, seen: Set<object>): Value {
  if (typeof value !== 'object' || value === null || value instanceof Map || Array.isArray(value)) {
    revive(value, seen);
    return value;
  }
  return 'text' in value ? new Decimal(value.text) : new Reference((value as Reference).path);
}
