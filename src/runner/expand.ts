/** Replaces `$NAME` and `${NAME}` by their values; unknown variables are removed. */
export function expand(text: string, values: ReadonlyMap<string, string>): string {
  return text.replace(/\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})/g, (_whole, plain?: string, braced?: string) => {
    return values.get(plain ?? braced ?? '') ?? '';
  });
}
