import { isList, isMapping, type Mapping, plain, scalarText } from '../yaml/values.ts';

/** An input as declared in `spec:inputs`, for people who are to give it a value. */
export interface DeclaredInput {
  readonly name: string;
  readonly type: string;
  readonly description: string | null;
  readonly required: boolean;
  /** Null when there is none, or when it depends on other inputs. */
  readonly default: unknown;
  readonly options: unknown[] | null;
  readonly regex: string | null;
  /** Options and defaults that depend on other inputs. */
  readonly rules: unknown[] | null;
}

/** Describes the inputs of a header. A wrong declaration is reported when a pipeline is created. */
export function describeInputs(header: Mapping): DeclaredInput[] {
  const spec = header.get('spec');
  const inputs = isMapping(spec) ? spec.get('inputs') : undefined;
  if (!isMapping(inputs)) return [];
  return [...inputs].map(([name, declaration]) => {
    const declared: Mapping = isMapping(declaration) ? declaration : new Map();
    const [options, rules] = [declared.get('options'), declared.get('rules')];
    return {
      name,
      type: scalarText(declared.get('type')) ?? 'string',
      description: scalarText(declared.get('description')) ?? null,
      required: !declared.has('default') && rules === undefined,
      default: plain(declared.get('default')),
      options: isList(options) ? options.map(plain) : null,
      regex: scalarText(declared.get('regex')) ?? null,
      rules: isList(rules) ? rules.map(plain) : null,
    };
  });
}
