import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PlannedJob } from '../../../src/ci/config/public.ts';
import { jobOf, jobsOf, planOf, type Setup } from './support.ts';

const image = { entrypoint: null, pullPolicy: null, executorOpts: {} };
const cache = {
  key: 'default',
  paths: ['x'],
  untracked: false,
  policy: 'pull-push',
  when: 'on_success',
  unprotect: false,
  fallbackKeys: [],
};
const artifacts = {
  paths: [],
  exclude: [],
  untracked: false,
  name: null,
  when: 'on_success',
  expireIn: null,
  exposeAs: null,
  access: 'all',
  reports: {},
};
const variable = (key: string, value: string, raw = false) => ({ key, value, raw });
const environment = {
  url: null,
  action: 'start',
  onStop: null,
  autoStopIn: null,
  deploymentTier: null,
  kubernetes: null,
};

/** Keywords in addition to `script: a`, and the expected job. */
const cases: readonly (readonly [string, { [Key in keyof PlannedJob]?: unknown }, Setup?])[] = [
  ['', { stage: 'test', when: 'on_success', allowFailure: false, needs: null, dependencies: null, timeout: null }],
  ['before_script: one\nafter_script: [[two], three]', { beforeScript: ['one'], afterScript: ['two', 'three'] }],
  ['image: alpine', { image: { name: 'alpine', ...image } }],
  [
    'image: {name: a, entrypoint: [""], pull_policy: always, docker: {platform: arm64, user: 1000}, kubernetes: {user: "5"}}',
    {
      image: {
        name: 'a',
        entrypoint: [''],
        pullPolicy: ['always'],
        executorOpts: { docker: { platform: 'arm64', user: '1000' }, kubernetes: { user: '5' } },
      },
    },
  ],
  [
    'services: [redis, {name: pg, alias: db, command: [run], variables: {P: 1}}]',
    {
      services: [
        { name: 'redis', ...image, alias: null, command: null, variables: [] },
        { name: 'pg', ...image, alias: 'db', command: ['run'], variables: [variable('P', '1')] },
      ],
    },
  ],
  [
    'variables: {A: 1, B: true, C: 1.0, D: {value: $A, expand: false}, E: }',
    {
      variables: [
        variable('A', '1'),
        variable('B', 'true'),
        variable('C', '1.0'),
        variable('D', '$A', true),
        variable('E', ''),
      ],
    },
  ],
  ['tags: [linux, "$SIZE", "$NONE", linux]', { tags: ['linux', 'big', '$NONE'] }, { settings: { SIZE: 'big' } }],
  ['when: manual', { when: 'manual', allowFailure: true }],
  ['when: manual\nallow_failure: false', { when: 'manual', allowFailure: false }],
  ['when: delayed\nstart_in: 30 min', { when: 'delayed', startIn: 1800 }],
  ['allow_failure: {exit_codes: [137, 255]}', { allowFailure: false, allowFailureExitCodes: [137, 255] }],
  ['allow_failure: {exit_codes: 1}', { allowFailureExitCodes: [1] }],
  ['retry: 2', { retry: { max: 2, when: ['always'], exitCodes: [] } }],
  ['retry: {max: 1, when: script_failure}', { retry: { max: 1, when: ['script_failure'], exitCodes: [] } }],
  ['retry: {max: 1, when: runner_interrupted}', { retry: { max: 1, when: ['runner_interrupted'], exitCodes: [] } }],
  ['retry: {max: 1, exit_codes: 137}', { retry: { max: 1, when: [], exitCodes: [137] } }],
  ['timeout: 1 hour 30 minutes', { timeout: 5400 }],
  ['interruptible: true', { interruptible: true }],
  ["coverage: '/Total: (\\d+)%/'", { coverage: 'Total: (\\d+)%' }],
  ['resource_group: deploy/$CI_COMMIT_REF_NAME', { resourceGroup: 'deploy/main' }],
  ['dependencies: []', { dependencies: [] }],
  ['needs: []', { needs: [] }],
  ['artifacts: {paths: [x], expire_in: never}', { artifacts: { ...artifacts, paths: ['x'], expireIn: 'never' } }],
  ['artifacts: {paths: [x], expire_in: "3600"}', { artifacts: { ...artifacts, paths: ['x'], expireIn: '3600' } }],
  ['artifacts: {paths: [x], public: false}', { artifacts: { ...artifacts, paths: ['x'], access: 'developer' } }],
  [
    'artifacts: {name: n, untracked: true, exclude: [y], when: always, reports: {junit: r.xml, dotenv: [a.env], coverage_report: {coverage_format: cobertura, path: c.xml}}}',
    {
      artifacts: {
        ...artifacts,
        name: 'n',
        untracked: true,
        exclude: ['y'],
        when: 'always',
        reports: { junit: ['r.xml'], dotenv: ['a.env'], cobertura: ['c.xml'] },
      },
    },
  ],
  ['cache: {paths: [x]}', { cache: [cache] }],
  ['artifacts: {}', { artifacts }],
  ['cache: []', { cache: [] }],
  ['cache: {}', { cache: [] }],
  [
    'cache: [{key: $CI_COMMIT_REF_SLUG, paths: [x], policy: pull, fallback_keys: [a]}, {key: b, paths: [x], when: always}]',
    {
      cache: [
        { ...cache, key: '$CI_COMMIT_REF_SLUG', policy: 'pull', fallbackKeys: ['a'] },
        { ...cache, key: 'b', when: 'always' },
      ],
    },
  ],
  [
    'cache: {key: {files: [Gemfile.lock], prefix: p}, paths: [x]}',
    { cache: [{ ...cache, key: 'p-e10be09a40fe627688dccea350d8a0918d6f02c6' }] },
    { tree: ['Gemfile.lock'] },
  ],
  ['cache: {key: {files: [Gemfile.lock]}, paths: [x]}', { cache: [cache] }],
  ['environment: production', { environment: { ...environment, name: 'production' } }],
  [
    'environment: {name: review/$CI_COMMIT_REF_NAME, url: "https://$CI_ENVIRONMENT_SLUG.x", auto_stop_in: 1 day, deployment_tier: testing}',
    {
      environment: {
        ...environment,
        name: 'review/main',
        url: 'https://$CI_ENVIRONMENT_SLUG.x',
        autoStopIn: '1 day',
        deploymentTier: 'testing',
      },
    },
  ],
  [
    'id_tokens: {T: {aud: https://a}, U: {aud: [b, c]}}',
    { idTokens: { T: { aud: ['https://a'] }, U: { aud: ['b', 'c'] } } },
  ],
  [
    'environment: {name: a, deployment_tier: $T}\nvariables: {T: staging}',
    { environment: { ...environment, name: 'a', deploymentTier: 'staging' } },
  ],
  ['pages: {expire_in: $LIFE}', { pages: { publish: null, pathPrefix: null, expireIn: '$LIFE' } }],
  ['hooks: {pre_get_sources_script: [a]}', { hooks: { preGetSourcesScript: ['a'] } }],
  [
    'id_tokens: {T: {aud: a}, U: {aud: b}}\nsecrets: {A: {vault: a/b/c@d}, B: {vault: a/b, token: $U, file: false}}',
    {
      secrets: {
        A: {
          source: { provider: 'vault', engine: { name: 'kv-v2', path: 'd' }, path: 'a/b', field: 'c' },
          token: '$T',
          file: true,
        },
        B: {
          source: { provider: 'vault', engine: { name: 'kv-v2', path: 'kv-v2' }, path: 'a', field: 'b' },
          token: '$U',
          file: false,
        },
      },
    },
  ],
  [
    'id_tokens: {T: {aud: a}}\nsecrets: {A: {vault: {engine: {name: generic, path: x}, path: $P, field: f}}}',
    {
      secrets: {
        A: {
          source: { provider: 'vault', engine: { name: 'generic', path: 'x' }, path: '$P', field: 'f' },
          token: '$T',
          file: true,
        },
      },
    },
  ],
  [
    'secrets: {A: {gcp_secret_manager: {name: a, version: 2}, token: $T}, B: {azure_key_vault: {name: b}, token: $T}}',
    {
      secrets: {
        A: { source: { provider: 'gcp_secret_manager', name: 'a', version: '2' }, token: '$T', file: true },
        B: { source: { provider: 'azure_key_vault', name: 'b', version: null }, token: '$T', file: true },
      },
    },
  ],
  [
    'id_tokens: {T: {aud: a}}\nsecrets: {A: {aws_secrets_manager: a#b}}',
    {
      secrets: {
        A: {
          source: { provider: 'aws_secrets_manager', named: { secret_id: 'a', field: 'b' } },
          token: null,
          file: true,
        },
      },
    },
  ],
  [
    'id_tokens: {T: {aud: a}, AWS_ID_TOKEN: {aud: b}}\nsecrets: {A: {aws_secrets_manager: {secret_id: a, region: b}}}',
    {
      secrets: {
        A: {
          source: { provider: 'aws_secrets_manager', named: { secret_id: 'a', region: 'b' } },
          token: '$AWS_ID_TOKEN',
          file: true,
        },
      },
    },
  ],
  ['manual_confirmation: Sure?\nwhen: manual', { manualConfirmation: 'Sure?' }],
  ['pages: {publish: dist, expire_in: 1 week}', { pages: { publish: 'dist', pathPrefix: null, expireIn: '1 week' } }],
  ['pages: true', { artifacts: { ...artifacts, paths: ['public'] } }],
  [
    'pages: {publish: dist}\nartifacts: {paths: [a, ./dist/]}',
    { artifacts: { ...artifacts, paths: ['a', './dist/'] } },
  ],
  ['pages: {publish: dist}\nartifacts: {paths: [a]}', { artifacts: { ...artifacts, paths: ['a', 'dist'] } }],
  ['pages: false', { pages: null, artifacts: null }],
  [
    'release: {tag_name: v1, description: d, milestones: [m], assets: {links: [{name: n, url: u, link_type: other}]}}',
    {
      release: {
        tagName: 'v1',
        description: 'd',
        tagMessage: null,
        name: null,
        ref: null,
        milestones: ['m'],
        releasedAt: null,
        links: [{ name: 'n', url: 'u', filepath: null, linkType: 'other' }],
      },
    },
  ],
];

describe('job keywords', () => {
  for (const [text, expected, setup] of cases) {
    it(text.replaceAll('\n', ' ').slice(0, 80), async () => {
      const lines = ['script: a', ...(text === '' ? [] : text.split('\n'))];
      const job = await jobOf(`test:\n${lines.map((line) => `  ${line}\n`).join('')}`, setup);
      for (const [key, value] of Object.entries(expected)) assert.deepEqual(job[key as keyof PlannedJob], value, key);
    });
  }

  it('with steps instead of scripts', async () => {
    const text = `
test:
  run:
    - {name: one, script: echo, env: {A: b}}
    - {name: two, step: {git: {url: host/steps, rev: v1}}, inputs: {n: 5, deep: {list: [x]}}}
    - {name: three, step: ./local}
    - {name: four, action: owner/action@v1}
    - {exec: {command: [ls, -l], work_dir: a}}
    - {run: [{name: five, step: {oci: {registry: r, repository: p, tag: 1.0}}}], outputs: {o: x}}
`;
    const job = await jobOf(text);
    assert.deepEqual([job.kind, job.script, job.run?.length], ['build', [], 6]);
    assert.deepEqual(job.run?.[1], {
      name: 'two',
      step: { git: { url: 'host/steps', rev: 'v1' } },
      inputs: { n: 5, deep: { list: ['x'] } },
    });
  });

  it('survive JSON', async () => {
    const plan = await planOf('test: {script: a, cache: {paths: [x]}, retry: 1}\ndown: {trigger: g/p}');
    assert.deepEqual(JSON.parse(JSON.stringify(plan)), plan);
  });
});

describe('triggers', () => {
  const trigger = {
    project: null,
    branch: null,
    include: [],
    strategy: null,
    forward: { yamlVariables: true, pipelineVariables: false },
    inputs: {},
  };
  const triggers: readonly (readonly [string, object])[] = [
    ['group/other', { project: 'group/other' }],
    ['{project: g/p, branch: dev, strategy: depend}', { project: 'g/p', branch: 'dev', strategy: 'depend' }],
    ['{project: g/p, inputs: {a: 1, b: [x]}}', { project: 'g/p', inputs: { a: 1, b: ['x'] } }],
    ['{include: child.yml, strategy: mirror}', { include: [{ local: 'child.yml' }], strategy: 'mirror' }],
    ['{include: [{artifact: a.yml, job: generate}]}', { include: [{ artifact: 'a.yml', job: 'generate' }] }],
    [
      '{include: [{local: c.yml, inputs: {n: 5}}], forward: {pipeline_variables: true}}',
      {
        include: [{ local: 'c.yml', inputs: { n: 5 } }],
        forward: { yamlVariables: true, pipelineVariables: true },
      },
    ],
  ];
  for (const [text, expected] of triggers) {
    it(text, async () => {
      const job = await jobOf(`test: {trigger: ${text}}\ngenerate: {script: a, stage: build}`);
      assert.deepEqual([job.kind, job.trigger], ['bridge', { ...trigger, ...expected }]);
    });
  }
});

describe('defaults and inheritance', () => {
  it('apply defaults unless the job overrides them', async () => {
    const text = `
default: {image: a, retry: 1, tags: [x], interruptible: true, before_script: [one]}
plain: {script: a}
own: {script: a, image: b, tags: [], before_script: []}
none: {script: a, inherit: {default: false}}
some: {script: a, inherit: {default: [image]}}
bridge: {trigger: g/p}
`;
    const jobs = await jobsOf(text);
    const seen = (name: string) => [
      jobs[name]?.image?.name,
      jobs[name]?.tags,
      jobs[name]?.beforeScript,
      jobs[name]?.retry.max,
    ];
    assert.deepEqual(seen('plain'), ['a', ['x'], ['one'], 1]);
    assert.deepEqual(seen('own'), ['b', [], [], 1]);
    assert.deepEqual(seen('none'), [undefined, [], [], 0]);
    assert.deepEqual(seen('some'), ['a', [], [], 0]);
    assert.equal(jobs.bridge?.interruptible, true);
  });

  it('accept the deprecated top-level keywords', async () => {
    const job = await jobOf('image: a\nbefore_script: [b]\ncache: {paths: [c]}\ntest: {script: d}');
    assert.deepEqual([job.image?.name, job.beforeScript, job.cache[0]?.paths], ['a', ['b'], ['c']]);
  });

  it('inherit variables as configured by the job', async () => {
    const text = `
variables: {A: top, B: top}
all: {script: a, variables: {A: job}}
none: {script: a, inherit: {variables: false}, variables: {C: job}}
some: {script: a, inherit: {variables: [B]}}
`;
    const jobs = await jobsOf(text);
    const seen = (name: string) =>
      Object.fromEntries(jobs[name]?.variables.map(({ key, value }) => [key, value]) ?? []);
    assert.deepEqual([seen('all'), seen('none'), seen('some')], [{ A: 'job', B: 'top' }, { C: 'job' }, { B: 'top' }]);
  });

  it('order jobs by stage and omit empty stages', async () => {
    const text = `
stages: [lint, unused, ship]
last: {script: a, stage: .post}
ship: {script: a, stage: ship}
lint: {script: a, stage: lint}
first: {script: a, stage: .pre}
`;
    const plan = await planOf(text);
    assert.deepEqual(plan.stages, ['.pre', 'lint', 'ship', '.post']);
    assert.deepEqual(
      plan.jobs.map(({ name, stageIndex }) => [name, stageIndex]),
      [
        ['first', 0],
        ['lint', 1],
        ['ship', 2],
        ['last', 3],
      ],
    );
  });
});
