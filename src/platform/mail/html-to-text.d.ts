/** What is used of it; the package brings no types. */
declare module 'html-to-text' {
  export function convert(html: string, options: Readonly<Record<string, unknown>>): string;
}
