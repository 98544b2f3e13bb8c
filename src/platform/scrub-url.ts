const hidden = '[hidden]';

/** Parameter and field names whose values are secrets: `private_token`, `user[password]`, `X-Amz-Signature` and kin. */
const secretName = /token|passw|secret|signature|credential|authorization|api_?key|private_?key|passphrase/i;

/** A token is known by its prefix, wherever it stands: people paste them into the wrong place. */
const tokens = /\b(gl(?:pat|oas|dt|rtr?|cbt|ptt|ft|imt|agent|soat|ffct|wt))-[\w.-]{8,}/g;

// No class may match what starts its own pattern: a hostile URL would make the search quadratic.
const userinfo = /\/\/[^/?#\s"']*@/g;
const parameter = /([?&;#]([^=?&;#\s"']+)=)[^&;#\s"']*/g;

const mayHoldSecret = /[=@]|gl[a-z]+-/;

/** Says whether a field of this name holds a secret. */
export function isSecretName(name: string): boolean {
  return secretName.test(name);
}

/** In an address a code is what lets somebody in who comes back from another site. */
const isSecretParameter = (name: string) => name === 'code' || isSecretName(name);

/** A URL, or text with URLs in it, without the secrets; what is not secret stays byte for byte. */
export function scrubUrl(text: string): string {
  if (!mayHoldSecret.test(text)) return text;
  return text
    .replace(userinfo, `//${hidden}@`)
    .replace(parameter, (whole, start: string, name: string) =>
      isSecretParameter(decode(name)) ? start + hidden : whole,
    )
    .replace(tokens, `$1-${hidden}`);
}

// `%70rivate_token` is the same parameter to the server, so it must be to the log.
function decode(name: string): string {
  if (!name.includes('%')) return name;
  try {
    return decodeURIComponent(name);
  } catch {
    return name.replace(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  }
}
