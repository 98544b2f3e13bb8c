/** The options `git push -o merge_request.…`. */
export interface RequestOptions {
  readonly create: boolean;
  readonly target?: string;
  /** Path or ID of the target project. */
  readonly targetProject?: string;
  readonly title?: string;
  readonly description?: string;
  readonly draft: boolean;
  readonly labels: readonly string[];
  readonly unlabels: readonly string[];
  readonly assignees: readonly string[];
  readonly unassigned: readonly string[];
  /** Title of a milestone, or its IID as `%1`. */
  readonly milestone?: string;
  readonly removeSource?: boolean;
  readonly squash?: boolean;
  readonly autoMerge: boolean;
}

const known = new Set([
  'create',
  'target',
  'target_project',
  'title',
  'description',
  'draft',
  'label',
  'unlabel',
  'assign',
  'unassign',
  'milestone',
  'remove_source_branch',
  'squash',
  'auto_merge',
  'merge_when_pipeline_succeeds',
]);

const switchedOff = /^(?:false|f|0|no|n|off)$/i;

const named = /^(?:merge_request|mr)\.([a-z_]+)(?:=(.*))?$/s;

/** Parses push options; undefined if none of them is for merge requests. */
export function readRequestOptions(options: readonly string[]): RequestOptions | undefined {
  const found = options.flatMap((option) => {
    const match = named.exec(option);
    const [, name = '', value = ''] = match ?? [];
    return known.has(name) ? [{ name, value }] : [];
  });
  if (found.length === 0) return undefined;
  /** Whether an option is enabled: given by name, unless its value disables it. */
  const flag = (...names: string[]) => {
    const sent = found.findLast(({ name }) => names.includes(name));
    return sent && !switchedOff.test(sent.value);
  };
  const last = (name: string) => found.findLast((option) => option.name === name && option.value !== '')?.value;
  const all = (name: string) => found.flatMap((option) => (option.name === name && option.value ? [option.value] : []));
  const [target, title, description] = [last('target'), last('title'), last('description')];
  const [milestone, targetProject] = [last('milestone'), last('target_project')];
  const [removeSource, squash] = [flag('remove_source_branch'), flag('squash')];
  return {
    create: flag('create') ?? false,
    ...(target !== undefined && { target }),
    ...(targetProject !== undefined && { targetProject }),
    ...(title !== undefined && { title }),
    // Push options cannot contain line breaks, so they are written as `\n`.
    ...(description !== undefined && { description: description.replaceAll('\\n', '\n') }),
    draft: flag('draft') ?? false,
    labels: all('label'),
    unlabels: all('unlabel'),
    assignees: all('assign'),
    unassigned: all('unassign'),
    ...(milestone !== undefined && { milestone }),
    ...(removeSource !== undefined && { removeSource }),
    ...(squash !== undefined && { squash }),
    autoMerge: flag('merge_when_pipeline_succeeds', 'auto_merge') ?? false,
  };
}
