import { ConfigFault } from '../errors.ts';
import { Budget } from '../limits.ts';
import { readYaml, type YamlFile } from '../yaml/yaml.ts';

/** A file to be read, and how many values it may come to. */
export interface ParseTask {
  readonly text: string;
  readonly file: string | null;
  readonly values: number;
}

/** What it says and how many values that are, or what is wrong with it. */
export type Answer =
  | { readonly yaml: YamlFile; readonly spent: number }
  | { readonly fault: Pick<ConfigFault, 'message' | 'line' | 'file'> };

/** Does the work itself, wherever it runs. */
export function answer({ text, file, values }: ParseTask): Answer {
  const budget = new Budget(values);
  try {
    const yaml = readYaml(text, file, budget);
    return { yaml, spent: values - budget.remaining };
  } catch (error) {
    if (!(error instanceof ConfigFault)) throw error;
    return { fault: { message: error.message, line: error.line, file: error.file } };
  }
}
