/** Replaces `$NAME` and `${NAME}` by what they stand for; what stands for nothing is left out. */
export function expand(text: string, values: ReadonlyMap<string, string>): string {
  return text.replace(/\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})/g, (_whole, plain?: string, braced?: string) => {
    return values.get(plain ?? braced ?? '') ?? '';
  });
}
