import type { ProjectSubject } from '../../access/subjects.ts';
import { maxInputs, tooManyInputs } from './inputs.ts';
import type { PipelineVariableInput } from './plan.ts';
import { maySetVariables } from './variable-rights.ts';

/** Push options that concern pipelines. */
export interface PipelineOptions {
  readonly skip: boolean;
  readonly none: boolean;
  readonly variables: readonly PipelineVariableInput[];
  readonly inputs: Readonly<Record<string, string>>;
}

/** Parses `ci.skip`, `ci.no_pipeline`, and any number of `ci.variable=NAME=value` and `ci.input=name=value`. */
export function readPushOptions(options: readonly string[]): PipelineOptions {
  const variables = assignments(options, 'ci.variable=')
    .filter(([key]) => /^[A-Za-z0-9_]+$/.test(key))
    .map(([key, value]): PipelineVariableInput => ({ key, value, variableType: 'env_var' }));
  const inputs = Object.fromEntries(assignments(options, 'ci.input='));
  return { skip: options.includes('ci.skip'), none: options.includes('ci.no_pipeline'), variables, inputs };
}

/** Parses assignments. Quotes around a whole assignment come from a shell that did not strip them. */
function assignments(options: readonly string[], prefix: string): [name: string, value: string][] {
  return options.flatMap((option): [string, string][] => {
    if (!option.startsWith(prefix)) return [];
    const [, text = option.slice(prefix.length)] = /^"(.*)"$/s.exec(option.slice(prefix.length)) ?? [];
    const at = text.indexOf('=');
    return at < 1 ? [] : [[text.slice(0, at), text.slice(at + 1)]];
  });
}

/** Why the push options do not allow to create a pipeline, if so. */
export function refusalOf({ variables, inputs }: PipelineOptions, subject: ProjectSubject): string | undefined {
  if (variables.length > 0 && !maySetVariables(subject)) return 'Insufficient permissions to set pipeline variables';
  return Object.keys(inputs).length > maxInputs ? tooManyInputs : undefined;
}
