/** Values of the badge placeholders. */
export interface BadgeFacts {
  readonly project_path: string;
  readonly project_title: string;
  readonly project_name: string;
  readonly project_id: string;
  readonly project_namespace: string;
  readonly group_name: string;
  readonly gitlab_server: string;
  readonly default_branch: string;
  readonly commit_sha: string;
}

const placeholder = /%\{([a-z_]{1,40})\}/g;

/** Replaces the placeholders of a URL; unknown ones are left as they are. */
export function fillPlaceholders(address: string, facts: Partial<BadgeFacts>): string {
  const values = new Map(Object.entries(facts));
  return address.replace(placeholder, (original, name: string) => values.get(name) ?? original);
}

const maxLength = 2048;

/** Validates the URL of a badge, which may contain placeholders anywhere. Returns the error, if any. */
export function addressProblem(address: string): string | undefined {
  if (address.trim() === '') return "can't be blank";
  if (address.length > maxLength) return `is too long (maximum is ${maxLength} characters)`;
  const filled = address.replace(placeholder, 'x');
  if (/[\p{Cc}\s]/u.test(filled) || !URL.canParse(filled)) return 'is blocked: URI is invalid';
  return /^https?:$/.test(new URL(filled).protocol) ? undefined : 'is blocked: Only allowed schemes are http, https';
}
