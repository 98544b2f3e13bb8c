/** A `/tag name [message]` line in a comment. */
export interface TagCommand {
  readonly name: string;
  readonly message: string | undefined;
}

const LINE = /^\/tag[ \t]+(\S+)(?:[ \t]+([^ \t].*))?$/s;

/** Removes the command from a comment; if there are several, the last one counts. */
export function readTagCommand(note: string): { readonly text: string; readonly command: TagCommand | undefined } {
  let command: TagCommand | undefined;
  let fenced = false;
  const kept = note.split(/\r?\n/).filter((line) => {
    if (/^\s*(```|~~~)/.test(line)) fenced = !fenced;
    const found = fenced ? null : LINE.exec(line.trimEnd());
    if (!found?.[1]) return true;
    command = { name: found[1], message: found[2] };
    return false;
  });
  return command ? { text: kept.join('\n').trim(), command } : { text: note, command };
}

/** The message about the created tag. */
export function tagSummary({ name, message }: TagCommand): string {
  return message === undefined ? `Tagged this commit to ${name}.` : `Tagged this commit to ${name} with "${message}".`;
}
