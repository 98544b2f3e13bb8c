import { Entry } from '../entry.ts';
import type { EntryPath, Problems } from '../errors.ts';
import { isList, isMapping, plain, scalarText, type Value } from '../yaml/values.ts';

/** What a step of `run` does, with its other keys. */
const kinds: Readonly<Record<string, readonly string[]>> = {
  step: ['name', 'env', 'inputs'],
  action: ['name', 'env', 'inputs'],
  script: ['name', 'env'],
  run: ['env', 'outputs', 'delegate'],
  exec: ['env'],
};
const named = ['step', 'action', 'script'];
const references: Readonly<
  Record<string, { readonly required: readonly string[]; readonly optional: readonly string[] }>
> = {
  git: { required: ['url', 'rev'], optional: ['dir', 'file'] },
  oci: { required: ['registry', 'repository', 'tag'], optional: ['dir', 'file'] },
};
const namePattern = /^[a-zA-Z_][a-zA-Z0-9_]*$/;

/** Validates the steps of `run`, which only the runner understands, and returns them as they are. */
export function readRunSteps(value: Value, at: EntryPath, problems: Problems): readonly unknown[] {
  if (!isList(value)) {
    problems.add(at, 'config should be an array of steps');
    return [];
  }
  for (const step of value) {
    if (isMapping(step)) checkStep(new Entry(step, at, problems));
    else problems.add(at, 'config should be an array of steps');
  }
  return value.map(plain);
}

function checkStep(step: Entry): void {
  const used = Object.keys(kinds).filter((kind) => step.has(kind));
  const [kind] = used;
  if (kind === undefined || used.length > 1) {
    step.fault(`config must use exactly one of these keys: ${Object.keys(kinds).join(', ')}`);
    return;
  }
  step.allow([kind, ...(kinds[kind] ?? [])]);
  if (named.includes(kind)) {
    step.require('name');
    const name = step.string('name');
    if (name !== null && !namePattern.test(name)) step.fault('name can contain only letters, digits and _');
  }
  checkNames(step.entry('env'), true);
  checkNames(step.entry('inputs'), false);
  if (kind === 'script' || kind === 'action') {
    if (step.string(kind) === '') step.fault(`${kind} can't be blank`);
  } else if (kind === 'run') readRunSteps(step.get('run') as Value, step.below('run'), step.problems);
  else if (kind === 'exec') checkExec(step.entry('exec'));
  else if (typeof step.get('step') !== 'string') checkReference(step.entry('step'));
}

function checkNames(entry: Entry | null, onlyText: boolean): void {
  for (const key of entry?.keys() ?? []) {
    if (!namePattern.test(key)) entry?.fault(`key ${key} can contain only letters, digits and _`);
    if (onlyText && typeof entry?.get(key) !== 'string') entry?.fault(`${key} should be a string`);
  }
}

function checkExec(exec: Entry | null): void {
  exec?.allow(['command', 'work_dir']);
  exec?.require('command');
  if (exec?.strings('command')?.length === 0) exec.fault("command can't be blank");
  exec?.string('work_dir');
}

/** A step in a Git repository or a container registry. */
function checkReference(entry: Entry | null): void {
  if (entry === null) return;
  const [kind = '', ...more] = entry.keys();
  const known = references[kind];
  if (known === undefined || more.length > 0) {
    entry.fault(`config must use exactly one of these keys: ${Object.keys(references).join(', ')}`);
    return;
  }
  const { required, optional } = known;
  const reference = entry.entry(kind);
  reference?.allow([...required, ...optional]);
  reference?.require(...required);
  for (const key of reference?.keys() ?? []) {
    if (scalarText(reference?.get(key)) === undefined) reference?.fault(`${key} should be a string`);
  }
}
