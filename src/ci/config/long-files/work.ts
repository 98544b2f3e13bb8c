import { ConfigFault } from '../errors.ts';
import { Budget } from '../limits.ts';
import { readYaml, type YamlFile } from '../yaml/yaml.ts';

/** A file to parse, and the remaining budget of values. */
export interface ParseTask {
  readonly text: string;
  readonly file: string | null;
  readonly values: number;
}

/** The parsed file and the number of values, or the error. */
export type ParseResult =
  | { readonly yaml: YamlFile; readonly spent: number }
  | { readonly fault: Pick<ConfigFault, 'message' | 'line' | 'file'> };

/** Parses the file; called in the worker thread. */
export function parseTask({ text, file, values }: ParseTask): ParseResult {
  const budget = new Budget(values);
  try {
    const yaml = readYaml(text, file, budget);
    return { yaml, spent: values - budget.remaining };
  } catch (error) {
    if (!(error instanceof ConfigFault)) throw error;
    return { fault: { message: error.message, line: error.line, file: error.file } };
  }
}
