import { Thread } from '../../../platform/threads/thread.ts';
import { ConfigFault } from '../errors.ts';
import type { Budget } from '../limits.ts';
import { Decimal, Reference, type Value } from '../yaml/values.ts';
import { readYaml, type YamlFile } from '../yaml/yaml.ts';
import type { ParseResult, ParseTask } from './work.ts';

/** Files below this length take only a few milliseconds to parse. */
const threadThreshold = 16_384;

const thread = new Thread<ParseTask, ParseResult>(new URL('./worker.ts', import.meta.url), {
  patience: 10_000,
  waiting: 64,
});

/**
 * Parses one configuration file. Long files are parsed in a thread: half a megabyte would block the event loop for half
 * a second.
 */
export async function readYamlFile(text: string, file: string | null, budget: Budget): Promise<YamlFile> {
  if (text.length < threadThreshold) return readYaml(text, file, budget);
  const answer = await thread.ask({ text, file, values: budget.remaining });
  if (answer === undefined) throw new ConfigFault('The configuration takes too long to read', null, file);
  if ('fault' in answer) throw new ConfigFault(answer.fault.message, answer.fault.line, answer.fault.file);
  budget.spend(answer.spent);
  const { header, content, lines } = answer.yaml;
  const visited = new Set<object>();
  revive(header, visited);
  revive(content, visited);
  return { header, content, lines };
}

/**
 * Restores the classes of values that were transferred from the thread, in place. Values shared by aliases stay shared
 * and are only visited once.
 */
function revive(value: unknown, visited: Set<object>): void {
  if (typeof value !== 'object' || value === null || visited.has(value)) return;
  visited.add(value);
  if (value instanceof Map) {
    for (const [key, inner] of value) value.set(key, revived(inner, visited));
  } else if (Array.isArray(value)) {
    for (const [index, inner] of value.entries()) value[index] = revived(inner, visited);
  }
}

function revived(value: Value | Decimal | Reference, visited: Set<object>): Value {
  if (typeof value !== 'object' || value === null || value instanceof Map || Array.isArray(value)) {
    revive(value, visited);
    return value;
  }
  return 'text' in value ? new Decimal(value.text) : new Reference((value as Reference).path);
}
