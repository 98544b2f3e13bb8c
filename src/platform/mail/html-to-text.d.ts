/** The used part of the package, which has no types. */
declare module 'html-to-text' {
  export function convert(html: string, options: Readonly<Record<string, unknown>>): string;
}
