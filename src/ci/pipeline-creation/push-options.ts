import type { ProjectSubject } from '../../access/subjects.ts';
import { maxInputs, tooManyInputs } from './given-inputs.ts';
import type { GivenVariable } from './plan.ts';
import { maySetVariables } from './variable-rights.ts';

/** What the options of a push say about its pipelines. */
export interface PipelineOptions {
  readonly skip: boolean;
  readonly none: boolean;
  readonly variables: readonly GivenVariable[];
  readonly inputs: Readonly<Record<string, string>>;
}

/** `ci.variable=NAME=value` and `ci.input=name=value`, as often as there are some, and the switches. */
export function readPushOptions(options: readonly string[]): PipelineOptions {
  const variables = assignments(options, 'ci.variable=')
    .filter(([key]) => /^[A-Za-z0-9_]+$/.test(key))
    .map(([key, value]): GivenVariable => ({ key, value, variableType: 'env_var' }));
  const inputs = Object.fromEntries(assignments(options, 'ci.input='));
  return { skip: options.includes('ci.skip'), none: options.includes('ci.no_pipeline'), variables, inputs };
}

/** Names and values; quotes around both are those of a shell that did not take them away. */
function assignments(options: readonly string[], prefix: string): [name: string, value: string][] {
  return options.flatMap((option): [string, string][] => {
    if (!option.startsWith(prefix)) return [];
    const [, text = option.slice(prefix.length)] = /^"(.*)"$/s.exec(option.slice(prefix.length)) ?? [];
    const at = text.indexOf('=');
    return at < 1 ? [] : [[text.slice(0, at), text.slice(at + 1)]];
  });
}

/** Why no pipeline can be made with what somebody asks for by the options of their push. */
export function refusalOf({ variables, inputs }: PipelineOptions, subject: ProjectSubject): string | undefined {
  if (variables.length > 0 && !maySetVariables(subject)) return 'Insufficient permissions to set pipeline variables';
  return Object.keys(inputs).length > maxInputs ? tooManyInputs : undefined;
}
