const maxLength = 255;

/** Validates an alias, which is a single path segment. */
export function aliasProblem(name: string): string | undefined {
  if (name.length > maxLength) return `is too long (maximum is ${maxLength} characters)`;
  // Repository URLs end with `.git`, wikis of top-level groups with `.wiki`.
  const isPath = /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/.test(name) && !/\.(git|wiki|atom)$/i.test(name);
  return isPath
    ? undefined
    : "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-' or '.', or end in '.git', '.wiki' or '.atom'";
}
