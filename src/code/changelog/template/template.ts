/** A value that a template looks into. */
export type TemplateValue = string | number | boolean | null | undefined | readonly TemplateValue[] | TemplateRecord;
export interface TemplateRecord {
  readonly [name: string]: TemplateValue;
}

/** A part of a template. A path is a list of steps; `it` stands for the value that is being looked at. */
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

/** A template that cannot be used; the message says why. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
}

/** How much a template may do: loops in loops grow fast, and whoever writes them need not be a friend. */
export const templateLimits = { loops: 4, depth: 100, steps: 2_000_000, output: 10 * 1024 * 1024 } as const;
