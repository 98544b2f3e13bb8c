import type { ContextVariable } from './context.ts';
import type { ConfigError, LintInclude } from './result.ts';

const mask = '[MASKED]';

/**
 * Hides the values of masked variables in what is shown of a configuration. Includes may contain variables, and anybody
 * who sees a pipeline sees the errors of its configuration.
 */
export class ValueMask {
  private readonly values: readonly string[];

  constructor(variables: readonly ContextVariable[]) {
    const values = variables.flatMap(({ masked, value }) => (masked && value !== '' ? value : []));
    // Longer values first, because others may be part of them.
    this.values = [...new Set(values)].sort((left, right) => right.length - left.length);
  }

  error({ message, line, file }: ConfigError): ConfigError {
    return { message: this.text(message), line, file: file === null ? null : this.text(file) };
  }

  include({ location, blob, raw, extra, ...rest }: LintInclude): LintInclude {
    return {
      ...rest,
      location: this.text(location),
      blob: blob === null ? null : this.text(blob),
      raw: raw === null ? null : this.text(raw),
      extra: Object.fromEntries(
        Object.entries(extra).map(([key, value]) => [key, typeof value === 'string' ? this.text(value) : value]),
      ),
    };
  }

  text(text: string): string {
    return this.values.reduce((shown, value) => shown.replaceAll(value, maskOf(value)), text);
  }
}

/** As long as the value, as in job logs. */
function maskOf(value: string): string {
  const length = Buffer.byteLength(value);
  return length < mask.length ? 'x'.repeat(length) : mask.padEnd(length, 'x');
}
