/**
 * Whether a name fits a pattern in which `*` stands for any run of characters, slashes included. Goes back to the last
 * star only, so that no pattern can make it slow.
 */
export function matchesWildcard(pattern: string, name: string): boolean {
  let at = 0;
  let star = -1;
  let resume = 0;
  let i = 0;
  while (i < name.length) {
    if (pattern[at] === '*') {
      star = at++;
      resume = i;
    } else if (pattern[at] === name[i]) {
      at++;
      i++;
    } else if (star >= 0) {
      at = star + 1;
      i = ++resume;
    } else return false;
  }
  while (pattern[at] === '*') at++;
  return at === pattern.length;
}
