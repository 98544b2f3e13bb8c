import { fillPlaceholders, trailers } from '../merge/messages.ts';

/** Values available to commit message templates of suggestions. */
export interface SuggestionFacts {
  readonly branch: string;
  readonly paths: readonly string[];
  readonly count: number;
  readonly projectName: string;
  readonly projectPath: string;
  readonly user: { readonly name: string; readonly username: string };
  /** `name <address>` of the authors of the suggestions, except the user who applies them. */
  readonly coAuthors: readonly string[];
}

const defaultTemplate = 'Apply %{suggestions_count} suggestion(s) to %{files_count} file(s)\n\n%{co_authored_by}';

/** Commit message of applied suggestions. */
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
  return fillPlaceholders(template ?? defaultTemplate, (name) =>
    Object.hasOwn(values, name) ? values[name] : undefined,
  ).trimEnd();
}
