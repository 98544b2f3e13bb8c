/** A value available to a template. */
export type TemplateValue = string | number | boolean | null | undefined | readonly TemplateValue[] | TemplateRecord;
export interface TemplateRecord {
  readonly [name: string]: TemplateValue;
}

/** A node of a template. A path is a list of keys; `it` refers to the current value. */
export type TemplateNode =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'value'; readonly path: readonly string[] }
  | {
      readonly kind: 'if';
      readonly path: readonly string[];
      readonly yes: readonly TemplateNode[];
      readonly no: readonly TemplateNode[];
    }
  | { readonly kind: 'each'; readonly path: readonly string[]; readonly body: readonly TemplateNode[] };

/** A template that cannot be used; the message is shown to the user. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
}

/** Limits on the work of a template: nested loops multiply, and templates are untrusted input. */
export const templateLimits = { loops: 4, depth: 100, steps: 2_000_000, output: 10 * 1024 * 1024 } as const;
