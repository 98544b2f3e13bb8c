import { fillPlaceholders, trailers } from '../merge/messages.ts';

/** What the message of suggestions may speak of. */
export interface SuggestionFacts {
  readonly branch: string;
  readonly paths: readonly string[];
  readonly count: number;
  readonly projectName: string;
  readonly projectPath: string;
  readonly user: { readonly name: string; readonly username: string };
  /** `name <address>` of those who made the suggestions, and do not apply them themselves. */
  readonly coAuthors: readonly string[];
}

const usual = 'Apply %{suggestions_count} suggestion(s) to %{files_count} file(s)\n\n%{co_authored_by}';

/** The message of a commit that applies suggestions. */
export function suggestionMessage(template: string | null, facts: SuggestionFacts): string {
  const values: Readonly<Record<string, string>> = {
    branch_name: facts.branch,
    files_count: `${facts.paths.length}`,
    file_paths: facts.paths.join(' '),
    project_name: facts.projectName,
    project_path: facts.projectPath,
    user_full_name: facts.user.name,
    username: facts.user.username,
    suggestions_count: `${facts.count}`,
    co_authored_by: trailers('Co-authored-by', facts.coAuthors),
  };
  return fillPlaceholders(template ?? usual, (name) =>
    Object.hasOwn(values, name) ? values[name] : undefined,
  ).trimEnd();
}
