/** `[skip ci]`, `[ci skip]`, in any case, with a space, a dash or an underscore between. */
const asksToSkip = /\[(?:ci[ _-]skip|skip[ _-]ci)\]/i;

/** Whether a message asks that its commit be passed over. */
export function skipsByMessage(message: string): boolean {
  return asksToSkip.test(message);
}

/** What the options of a push say about its pipelines. */
export function readPushOptions(options: readonly string[]): {
  readonly skip: boolean;
  readonly none: boolean;
  readonly variables: readonly { readonly key: string; readonly value: string }[];
} {
  const variables = options.flatMap((option) => {
    const [, key, value] = /^ci\.variable="?([A-Za-z0-9_]+)=(.*?)"?$/s.exec(option) ?? [];
    return key === undefined || value === undefined ? [] : [{ key, value }];
  });
  return { skip: options.includes('ci.skip'), none: options.includes('ci.no_pipeline'), variables };
}
