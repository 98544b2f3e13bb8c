import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';

/** URL and administrator token of the server. */
export interface ScenarioServer {
  readonly url: string;
  readonly token: string;
}

/** A started runner that runs several jobs concurrently. */
export interface StartedRunner {
  /** The output of the runner itself. */
  log(): string;
  stop(): Promise<void>;
}

/** Much longer than any runner needs on a slow machine, unless it hangs. */
const patienceMs = 1_200_000;

/** Polls for a result of the runner. */
async function until<T>(find: () => Promise<T | undefined>, why: () => string): Promise<T> {
  for (const deadline = performance.now() + patienceMs; ; await setTimeout(200)) {
    const found = await find();
    if (found !== undefined) return found;
    assert.ok(performance.now() < deadline, `still not so: ${find}\n${why()}`);
  }
}

const configuration = `
stages: [build, test, deploy]
variables:
  GREETING: hello
compile:
  stage: build
  before_script: [mkdir -p out vendor]
  script:
    - echo "built $GREETING on $CI_COMMIT_REF_NAME" > out/result.txt
    - echo "cached" > vendor/stamp
    - echo "the secret is $SECRET"
    - cat "$SETTINGS"
  after_script: [echo "it was a $CI_JOB_STATUS"]
  cache: {key: deps, paths: [vendor/]}
  artifacts: {paths: [out/], exclude: [out/*.tmp], expire_in: 1 day}
report:
  stage: build
  script:
    - echo "VERSION=1.2.3" > build.env
    - echo '<testsuite><testcase name="one" time="0.5"/></testsuite>' > junit.xml
  artifacts:
    reports: {dotenv: build.env, junit: junit.xml}
early:
  stage: deploy
  needs: [report]
  script: ['test "$VERSION" = 1.2.3', test ! -e out]
cached:
  stage: test
  dependencies: []
  cache: {key: deps, paths: [vendor/], policy: pull}
  script: [grep cached vendor/stamp, test ! -e out]
check:
  stage: test
  dependencies: [compile]
  script: [grep "built hello on main" out/result.txt, git log --oneline -1]
paint:
  stage: test
  parallel: {matrix: [{COLOR: [red, green]}]}
  script: ['echo "painted $COLOR"']
again:
  stage: test
  retry: 1
  allow_failure: true
  script: ['false']
failing:
  stage: test
  script: [echo "so far so good", exit 42, echo "not reached"]
  allow_failure: {exit_codes: [42]}
  artifacts: {when: on_failure, paths: [README.md]}
publish:
  stage: deploy
  script:
    - 'curl -sf -H "JOB-TOKEN: $CI_JOB_TOKEN" "$CI_API_V4_URL/job" > job.json'
    - grep '"name":"publish"' job.json
family:
  stage: deploy
  trigger: {include: child.yml, strategy: depend}
long:
  stage: deploy
  when: manual
  allow_failure: true
  script: [echo "waiting now", sleep 600]
  after_script: [echo "tidied up"]
`;

const child = `
inner: {script: [echo "started by another"]}
`;

interface JobView {
  readonly id: number;
  readonly name: string;
  readonly status: string;
  readonly failure_reason?: string;
  readonly allow_failure: boolean;
  readonly artifacts: { readonly file_type: string }[];
}

/** Runs a pipeline with all supported features and checks the result. Used for both runners. */
export async function runnerScenario(
  server: ScenarioServer,
  start: (runner: { readonly url: string; readonly token: string }) => Promise<StartedRunner>,
): Promise<void> {
  const call = async (method: string, path: string, json?: object) => {
    const headers = { 'private-token': server.token, ...(json && { 'content-type': 'application/json' }) };
    const body = json ? JSON.stringify(json) : null;
    const response = await fetch(`${server.url}/api/v4${path}`, { method, headers, body });
    const text = await response.text();
    assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`);
    return response.headers.get('content-type')?.startsWith('application/json') ? JSON.parse(text) : text;
  };
  const project = await call('POST', '/projects', { name: `scenario ${Date.now()}`, initialize_with_readme: true });
  const at = `/projects/${project.id}`;
  await call('POST', `${at}/variables`, { key: 'SECRET', value: 'correct-horse-battery', masked: true });
  await call('POST', `${at}/variables`, {
    key: 'SETTINGS',
    value: 'from a file on $CI_COMMIT_REF_NAME in $CI_PROJECT_DIR',
    variable_type: 'file',
  });
  const made = await call('POST', '/user/runners', { runner_type: 'project_type', project_id: project.id });
  const runner = await start({ url: server.url, token: made.token });
  try {
    const jobs = async (pipeline: number, more = ''): Promise<JobView[]> =>
      call('GET', `${at}/pipelines/${pipeline}/jobs?per_page=100${more}`);
    const named = async (pipeline: number, name: string) => (await jobs(pipeline)).find((job) => job.name === name);
    const trace = (id: number): Promise<string> => call('GET', `${at}/jobs/${id}/trace`);
    const commit = async (content: string) => {
      const file = (file_path: string, text: string) => ({ action: 'create', file_path, content: text });
      const { id } = await call('POST', `${at}/repository/commits`, {
        branch: 'main',
        commit_message: 'configure',
        actions: [file('.gitlab-ci.yml', content), file('child.yml', child)],
      });
      return until(
        async () => (await call('GET', `${at}/pipelines?sha=${id}`))[0] as { id: number } | undefined,
        runner.log,
      );
    };
    const pipeline = (await commit(configuration)).id;
    const ended = await until(async () => {
      const { status } = await call('GET', `${at}/pipelines/${pipeline}`);
      return status === 'success' || status === 'failed' || status === 'manual' ? String(status) : undefined;
    }, runner.log);
    const all = await jobs(pipeline, '&include_retried=true');
    const logs = async () => Promise.all(all.map(async ({ id, name }) => `== ${name}\n${await trace(id)}`));
    assert.equal(ended, 'success', `${runner.log()}\n${(await logs()).join('\n')}`);

    const outcome = all.map(({ name, status, failure_reason }) => `${name}: ${status} ${failure_reason ?? ''}`.trim());
    assert.deepEqual(outcome.sort(), [
      'again: failed script_failure',
      'again: failed script_failure',
      'cached: success',
      'check: success',
      'compile: success',
      'early: success',
      'failing: failed script_failure',
      'long: manual',
      'paint: [green]: success',
      'paint: [red]: success',
      'publish: success',
      'report: success',
    ]);
    const idOf = (name: string) => all.find((job) => job.name === name)?.id ?? 0;
    const compiled = await trace(idOf('compile'));
    assert.match(compiled, /section_start:\d+:/);
    assert.match(compiled, /the secret is \[MASKED\]/);
    assert.doesNotMatch(compiled, /correct-horse-battery/);
    assert.match(compiled, /from a file on main in \//);
    assert.match(compiled, /it was a success/);
    assert.match(await trace(idOf('paint: [red]')), /painted red/);
    const failing = await trace(idOf('failing'));
    assert.match(failing, /so far so good/);
    assert.doesNotMatch(failing, /^(.*[^"])?not reached$/m);
    assert.equal(await call('GET', `${at}/jobs/${idOf('compile')}/artifacts/out/result.txt`), 'built hello on main\n');
    const tree = await call('GET', `${at}/jobs/${idOf('compile')}/artifacts/tree?recursive=true`);
    assert.deepEqual(
      tree.map(({ path }: { path: string }) => path),
      ['out/', 'out/result.txt'],
    );
    const kinds = (name: string) => all.find((job) => job.name === name)?.artifacts.map(({ file_type }) => file_type);
    assert.deepEqual(
      kinds('report')
        ?.filter((kind) => kind !== 'trace')
        .sort(),
      ['dotenv', 'junit'],
    );
    assert.ok(kinds('failing')?.includes('archive'));
    assert.equal((await call('GET', `${at}/pipelines/${pipeline}/test_report`)).total_count, 1);

    const [bridge] = await call('GET', `${at}/pipelines/${pipeline}/bridges`);
    assert.deepEqual([bridge.status, bridge.downstream_pipeline.status], ['success', 'success']);
    const [inner] = await jobs(bridge.downstream_pipeline.id);
    assert.match(await trace(inner?.id ?? 0), /started by another/);

    const long = idOf('long');
    await call('POST', `${at}/jobs/${long}/play`);
    await until(async () => ((await trace(long)).includes('waiting now') ? true : undefined), runner.log);
    await call('POST', `${at}/jobs/${long}/cancel`);
    await until(async () => ((await named(pipeline, 'long'))?.status === 'canceled' ? true : undefined), runner.log);
    await until(async () => ((await trace(long)).includes('tidied up') ? true : undefined), runner.log);
  } finally {
    await runner.stop();
  }
  const errors = runner
    .log()
    .split('\n')
    .filter((line) => /level=(error|fatal|panic)|^(ERROR|FATAL|PANIC)/.test(stripVTControlCharacters(line)));
  assert.deepEqual(errors, []);
}
