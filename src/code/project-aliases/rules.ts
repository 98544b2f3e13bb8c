const longest = 255;

/** What is wrong with a name that git is to find a project by: it is a path of one segment. */
export function aliasProblem(name: string): string | undefined {
  if (name.length > longest) return `is too long (maximum is ${longest} characters)`;
  // Addresses end with .git, and those of wikis of groups at the top with .wiki.
  const isPath = /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/.test(name) && !/\.(git|wiki|atom)$/i.test(name);
  return isPath
    ? undefined
    : "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-' or '.', or end in '.git', '.wiki' or '.atom'";
}
