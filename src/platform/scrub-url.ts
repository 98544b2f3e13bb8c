const hidden = '[hidden]';

/**
 * Names of parameters and fields whose values are secrets: `private_token`, `user[password]`, `X-Amz-Signature` and
 * similar.
 */
const secretName = /token|passw|secret|signature|credential|authorization|api_?key|private_?key|passphrase/i;

/** Tokens are recognized by their prefix anywhere in a text, because people paste them into the wrong place. */
const tokens = /\b(gl(?:pat|oas|dt|rtr?|cbt|ptt|ft|imt|agent|soat|ffct|wt))-[\w.-]{8,}/g;

// No class may match what starts its own pattern: a hostile URL would make the search quadratic.
const userinfo = /\/\/[^/?#\s"']*@/g;
const parameter = /([?&;#]([^=?&;#\s"']+)=)[^&;#\s"']*/g;

const mayHoldSecret = /[=@]|gl[a-z]+-/;

/** Whether a field of this name contains a secret. */
export function isSecretName(name: string): boolean {
  return secretName.test(name);
}

/** In a URL, `code` is an OAuth authorization code, with which the sign-in can be completed. */
const isSecretParameter = (name: string) => name === 'code' || isSecretName(name);

/** Removes secrets from a URL, or from text with URLs in it; everything else stays byte for byte. */
export function scrubUrl(text: string): string {
  if (!mayHoldSecret.test(text)) return text;
  return text
    .replace(userinfo, `//${hidden}@`)
    .replace(parameter, (whole, start: string, name: string) =>
      isSecretParameter(decode(name)) ? start + hidden : whole,
    )
    .replace(tokens, `$1-${hidden}`);
}

// The server treats `%70rivate_token` as the same parameter, so the log must too.
function decode(name: string): string {
  if (!name.includes('%')) return name;
  try {
    return decodeURIComponent(name);
  } catch {
    return name.replace(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  }
}
