/** IDs in a place that requests refer to. */
export interface Numbers {
  readonly group: number;
  readonly project: number;
  readonly hook: number;
  readonly firstPackage: number;
  readonly firstRepository: number;
}

const minute = 60_000;

/**
 * Every list of objects that accumulate in a project, for a project, a group or a user; `small` and `large` are the
 * names of all three.
 */
export function requestsFor(
  name: 'small' | 'large',
  { group, project, hook, firstPackage, firstRepository }: Numbers,
  count: number,
): Record<string, string> {
  const now = Date.now();
  const ago = (rows: number) => new Date(now - rows * minute).toISOString();
  const requests: Record<string, string> = {};
  const ask = (title: string, path: string, filters: Readonly<Record<string, string>> = { '': '' }) => {
    for (const [what, query] of Object.entries({ '': '', ...filters })) {
      const sent = query === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${query}`;
      requests[what === '' ? title : `${title}: ${what}`] = sent;
    }
  };
  const plain = (...queries: string[]) => Object.fromEntries(queries.map((query) => [query, query]));
  const own = `/projects/${project}`;
  const deep = 'page=40';
  const request = `${own}/merge_requests/1`;
  ask('environments', `${own}/environments`, {
    ...plain(deep, 'states=available', 'states=stopped', 'states=stopping', 'with_last_deployment=true'),
    'a name': 'name=review/branch-77-q',
    'a word of few': 'search=branch-77-q',
    'a word of a hundredth': 'search=preview',
    'a word of most': 'search=branch',
    'a word of none': 'search=nowhere',
    'a word of most, stopping': 'search=branch&states=stopping',
  });
  ask('deployments', `${own}/deployments`, {
    ...plain(deep, 'status=success', 'status=failed', 'status=running', 'status=canceled', 'sha=f00077'),
    'an environment': 'environment=review/branch-7-q',
    'an environment, failed': 'environment=review/branch-7-q&status=failed',
    'an environment, running': 'environment=review/branch-7-q&status=running',
    ...plain(
      ...['iid', 'created_at', 'updated_at', 'finished_at', 'ref'].flatMap((order) => [
        `order_by=${order}&sort=asc`,
        `order_by=${order}&sort=desc`,
        `order_by=${order}&sort=desc&status=failed`,
      ]),
    ),
    'updated_after, few': `order_by=updated_at&updated_after=${ago(50)}`,
    'updated_before, few': `order_by=updated_at&updated_before=${ago(count - 50)}`,
    'updated between': `order_by=updated_at&updated_after=${ago(count / 2)}&updated_before=${ago(count / 2 - 100)}`,
    'finished_after, few': `order_by=finished_at&status=success&finished_after=${ago(50)}`,
    'finished_before, few': `order_by=finished_at&status=success&finished_before=${ago(count - 70)}`,
    'finished_after in the order of ids': `finished_after=${ago(50)}`,
    'updated_after in the order of ids': `updated_after=${ago(50)}`,
  });
  ask('feature flags', `${own}/feature_flags`, plain(deep, 'scope=enabled', 'scope=disabled'));
  ask('user lists', `${own}/feature_flags_user_lists`, { deep, 'a word of few': 'search=list%2077%20of' });
  const packaged = {
    ...plain(deep, 'package_type=npm', 'package_type=helm', 'package_type=nuget', 'status=hidden', 'status=error'),
    ...plain('include_versionless=true', 'package_version=1.0.77', 'package_type=npm&status=hidden'),
    ...plain(
      ...['created_at', 'name', 'version', 'type'].flatMap((order) =>
        ['asc', 'desc'].flatMap((sort) => [
          `order_by=${order}&sort=${sort}`,
          `order_by=${order}&sort=${sort}&package_type=npm`,
          `order_by=${order}&sort=${sort}&package_type=helm&status=hidden`,
        ]),
      ),
    ),
    'a name of few': 'package_name=library-77-q',
    'a name of a hundredth': 'package_name=tool',
    'a name of most': 'package_name=library',
  };
  ask('packages', `${own}/packages`, packaged);
  ask('packages of a group', `/groups/${group}/packages`, {
    ...packaged,
    ...plain('exclude_subgroups=true', 'order_by=project_path&sort=asc'),
  });
  ask(
    'files of a package',
    `${own}/packages/${firstPackage}/package_files`,
    plain(deep, 'order_by=file_name&sort=asc'),
  );
  ask('a package', `${own}/packages/${firstPackage + 7}`);
  ask('repositories of images', `${own}/registry/repositories`, plain(deep, 'tags=true', 'tags_count=true'));
  ask('repositories of images of a group', `/groups/${group}/registry/repositories`, plain(deep));
  ask('tags of images', `${own}/registry/repositories/${firstRepository}/tags`, plain(deep));
  ask('a repository of images', `/registry/repositories/${firstRepository}`, plain('tags_count=true'));
  ask('releases', `${own}/releases`, {
    ...plain(deep, 'sort=asc', 'order_by=created_at', 'order_by=created_at&sort=asc'),
    'updated_after, few': `updated_after=${ago(1)}`,
    'updated_before, few': `updated_before=${ago(count - 50)}`,
    'updated_before, most': `updated_before=${ago(50)}`,
  });
  ask('releases of a group', `/groups/${group}/releases`, plain(deep, 'sort=asc'));
  ask('milestones', `${own}/milestones`, {
    ...plain(deep, 'state=active', 'state=closed'),
    'a title': 'title=Milestone%2077%20of',
    'a word of few': 'search=Milestone%2077%20of',
    'a word of all': 'search=Milestone',
    'updated_after, few': `updated_after=${ago(50)}`,
  });
  ask('notes of a request', `${request}/notes`, {
    ...plain(deep, 'sort=asc', 'order_by=updated_at', 'activity_filter=only_comments', 'activity_filter=only_activity'),
  });
  ask('discussions of a request', `${request}/discussions`, plain(deep));
  ask('label events of a request', `${request}/resource_label_events`, plain(deep));
  ask('to-dos', `/todos?sudo=of-${name}`, {
    ...plain(
      deep,
      'state=done',
      'action=assigned',
      'action=build_failed',
      'action=build_failed&state=done',
      'type=MergeRequest',
    ),
    ...plain('type=Issue', 'type=Issue&state=done', 'action=marked'),
    project: `project_id=${project}`,
    group: `group_id=${group}`,
    'a project that has none': 'project_id=99999999',
  });
  ask('schedules', `${own}/pipeline_schedules`, plain(deep, 'scope=active', 'scope=inactive'));
  ask('states of Terraform', `${own}/terraform/states`, plain(deep));
  ask('versions of a state', `${own}/terraform/states/state-1/versions`, plain(deep));
  ask('secure files', `${own}/secure_files`, plain(deep));
  ask('resource groups', `${own}/resource_groups`, plain(deep));
  ask('snippets', `${own}/snippets`, plain(deep));
  ask('snippets of a person', `/snippets?sudo=of-${name}`, plain(deep));
  ask('uploads', `${own}/uploads`, plain(deep));
  ask('deliveries of a hook', `${own}/hooks/${hook}/events`, plain(deep, 'status=server_failure', 'status=successful'));
  return requests;
}
