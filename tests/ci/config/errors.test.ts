import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compiled, errorsOf } from './support.ts';

/** Each file has exactly one error, with the message of GitLab. */
const cases: readonly (readonly [string, string])[] = [
  ['', 'Please provide content of .gitlab-ci.yml'],
  ['# nothing\n', 'Please provide content of .gitlab-ci.yml'],
  ['just text', 'Invalid configuration format'],
  ['[a, list]', 'Invalid configuration format'],
  ['test: {stage: test}', 'jobs test config should implement the script:, run:, or trigger: keyword'],
  ['test: {script: a, needs: {pipeline: g/p}}', 'jobs:test:needs config uses invalid types: bridge'],
  ['test: {script: a, needs: [{pipeline: g/p}]}', 'jobs:test:needs config uses invalid types: bridge'],
  [
    'test: {trigger: g/p, needs: {pipeline: g/p}}',
    'jobs:test config should contain either a trigger or a needs:pipeline',
  ],
  ['test: {needs: {pipeline: g/p, artifacts: true}}', 'jobs:test:needs:need config contains unknown keys: artifacts'],
  ['test: {script: a, dast_configuration: {x: y}}', 'jobs:test:dast_configuration config contains unknown keys: x'],
  ['test: [a]', 'jobs test config should implement the script:, run:, or trigger: keyword'],
  ['test:', 'jobs test config should implement the script:, run:, or trigger: keyword'],
  ['.hidden: {script: a}', 'jobs config should contain at least one visible job'],
  ['variables: {A: b}', 'jobs config should contain at least one visible job'],
  ['test: {script: a, foo: 1, bar: 2}', 'jobs:test config contains unknown keys: foo, bar'],
  ['test: {script: a, trigger: g/p}', 'jobs:test config contains unknown keys: trigger'],
  ['test: {trigger: g/p, tags: [a]}', 'jobs:test config contains unknown keys: tags'],
  [
    'test: {script: {a: b}}',
    'jobs:test:script config should be a string or a nested array of strings up to 10 levels deep',
  ],
  [
    'test: {script: [{a: b}]}',
    'jobs:test:script config should be a string or a nested array of strings up to 10 levels deep',
  ],
  [
    'test: {script: a, before_script: [1]}',
    'jobs:test:before_script config should be a string or a nested array of strings up to 10 levels deep',
  ],
  [
    'test: {script: a, stage: lint}',
    'test job: chosen stage lint does not exist; available stages are .pre, build, test, deploy, .post',
  ],
  [
    'stages: one\ntest: {script: a}',
    'stages config should be an array of strings or a nested array of strings up to 10 levels deep',
  ],
  ['test: {script: a, image: [x]}', 'jobs:test:image config should be a hash or a string'],
  ['test: {script: a, image: {entrypoint: [x]}}', 'jobs:test:image config missing required keys: name'],
  ['test: {script: a, image: {name: x, size: 1}}', 'jobs:test:image config contains unknown keys: size'],
  [
    'test: {script: a, image: {name: x, pull_policy: sometimes}}',
    'jobs:test:image:pull_policy config should be one of: always, never, if-not-present',
  ],
  ['test: {script: a, services: redis}', 'jobs:test:services config should be a array'],
  ['test: {script: a, services: [1]}', 'jobs:test:services:service config should be a hash or a string'],
  ['default: {image: [x]}\ntest: {script: a}\nother: {script: a}', 'default:image config should be a hash or a string'],
  ['default: {stage: x}\ntest: {script: a}', 'default config contains unknown keys: stage'],
  ['image: a\ndefault: {image: b}\ntest: {script: a}', '`image` is defined in top-level and `default:` entry'],
  ['variables: [a]\ntest: {script: a}', 'variables config should be a hash of key value pairs'],
  ['variables: {A: [b]}\ntest: {script: a}', 'variables:A config must be either a string or a hash'],
  ['variables: {A: {value: b, x: y}}\ntest: {script: a}', 'variables:A config uses invalid data keys: x'],
  [
    'variables: {A: {value: b, options: [c]}}\ntest: {script: a}',
    'variables:A config value must be present in options',
  ],
  [
    'test: {script: a, variables: {A: {value: b, description: c}}}',
    'jobs:test:variables:A config uses invalid data keys: description',
  ],
  [
    'test: {script: a, when: never}',
    'jobs:test when should be one of: on_success, on_failure, always, manual, delayed',
  ],
  ['test: {script: []}', "jobs:test script can't be blank"],
  ['test: {trigger: a/b, when: delayed}', 'jobs:test when should be one of: on_success, on_failure, always, manual'],
  ['test: {script: a, when: delayed}', 'jobs:test start in should be a duration'],
  ['test: {script: a, when: delayed, start_in: 2 weeks}', 'jobs:test start in should not exceed the limit of 1 week'],
  ['test: {script: a, start_in: 1 day}', 'jobs:test start in must be blank'],
  ['test: {script: a, allow_failure: maybe}', 'jobs:test:allow_failure config should be a hash or a boolean value'],
  ['test: {script: a, timeout: soon}', 'jobs:test timeout should be a duration'],
  ['test: {script: a, timeout: 2 months}', 'jobs:test timeout should not exceed the limit of 1 month'],
  ['test: {script: a, retry: 3}', 'jobs:test:retry config must be less than or equal to 2'],
  ['test: {script: a, retry: x}', 'jobs:test:retry has to be either an integer or a hash'],
  ['test: {script: a, retry: {max: 1, when: bad_luck}}', 'jobs:test:retry when contains unknown values: bad_luck'],
  ['test: {script: a, parallel: 0}', 'jobs:test:parallel config must be greater than or equal to 1'],
  ['test: {script: a, parallel: 201}', 'jobs:test:parallel config must be less than or equal to 200'],
  ['test: {script: a, parallel: two}', 'jobs:test:parallel should be an integer or a hash'],
  [
    'test: {script: a, parallel: {matrix: [{A: }]}}',
    'jobs:test:parallel:matrix:variables config should be a hash of key value pairs, value can be an array',
  ],
  ...['3.10', 'true', '[1, no]'].map((value): [string, string] => [
    `test: {script: a, parallel: {matrix: [{A: ${value}}]}}`,
    'jobs:test:parallel:matrix:variables config should be a hash of key value pairs, value can be an array',
  ]),
  ['test: {needs: [{pipeline: a/b}, {pipeline: a/c}]}', 'jobs:test config should contain at most one bridge need'],
  ['test: {script: a, parallel: {matrix: []}}', 'jobs:test:parallel:matrix config should be an array of hashes'],
  [
    'test: {script: a, parallel: {matrix: [{A: [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15], B: [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15]}]}}',
    'jobs:test:parallel:matrix config generates too many jobs (maximum is 200)',
  ],
  ['test: {script: a, coverage: plain}', 'jobs:test coverage must be a regular expression'],
  ['test: {script: a, coverage: "/(/"}', 'jobs:test coverage must be a regular expression'],
  ['test: {script: a, tags: linux}', 'jobs:test:tags config should be an array of strings'],
  ['test: {script: a, interruptible: maybe}', 'jobs:test interruptible should be a boolean value'],
  ['test: {script: a, artifacts: [x]}', 'jobs:test:artifacts config should be a hash'],
  ['test: {script: a, artifacts: {paths: x}}', 'jobs:test:artifacts paths should be an array of strings'],
  [
    'test: {script: a, artifacts: {paths: [x], expire_in: later}}',
    'jobs:test:artifacts expire in should be a duration',
  ],
  [
    'test: {script: a, artifacts: {reports: {xunit: x}}}',
    'jobs:test:artifacts:reports config contains unknown keys: xunit',
  ],
  [
    'test: {script: a, artifacts: {paths: [x], public: true, access: all}}',
    'jobs:test:artifacts config these keys cannot be used together: public, access',
  ],
  [
    'test: {script: a, artifacts: {expose_as: x, paths: ["*"]}}',
    "jobs:test:artifacts paths can't contain '*' when used with 'expose_as'",
  ],
  ['test: {script: a, cache: {key: a/b, paths: [x]}}', 'jobs:test:cache:key config cannot contain the "/" character'],
  [
    'test: {script: a, cache: [{}, {paths: [a]}, {}, {}, {}]}',
    'jobs:test:cache config no more than 4 caches can be created',
  ],
  [
    'test: {script: a, cache: {paths: [x], policy: sideways}}',
    'jobs:test:cache policy should be a variable or one of: pull-push, push, pull',
  ],
  ['test: {script: a, environment: {url: x}}', "jobs:test:environment name can't be blank"],
  ['test: {script: a, environment: {name: a, on_stop: b}}', 'test job: on_stop job b is not defined'],
  [
    'test: {script: a, environment: {name: a, on_stop: b}}\nb: {script: a, environment: {name: c, action: stop}}',
    'test job: on_stop job b have different environment name',
  ],
  [
    'test: {script: a, environment: {name: a, on_stop: b}}\nb: {script: a, environment: a}',
    'test job: on_stop job b needs to have action stop defined',
  ],
  [
    'test: {script: a, rules: [{when: later}]}',
    'jobs:test:rules:rule when should be one of: on_success, on_failure, always, never, manual, delayed',
  ],
  ['test: {script: a, rules: [{if: "$A =="}]}', 'jobs:test:rules:rule if invalid expression syntax'],
  ['test: {script: a, rules: [{unless: "$A"}]}', 'jobs:test:rules:rule config contains unknown keys: unless'],
  ['test: {script: a, rules: [text]}', 'jobs:test:rules:rule config should be a hash'],
  ['test: {script: a, rules: [{when: delayed}]}', 'jobs:test:rules:rule start in should be a duration'],
  [
    'test: {script: a, rules: [{when: always}], only: [main]}',
    'jobs:test config key may not be used with `rules`: only',
  ],
  [
    'workflow: {rules: [{when: manual}]}\ntest: {script: a}',
    'workflow:rules:rule when should be one of: always, never',
  ],
  ['workflow: {names: a}\ntest: {script: a}', 'workflow config contains unknown keys: names'],
  ['test: {script: a, only: {variables: ["$A &&"]}}', 'jobs:test:only variables invalid expression syntax'],
  [
    'test: {script: a, only: ["/(/"]}',
    'jobs:test:only config should be an array of strings or regular expressions using re2 syntax',
  ],
  ['test: {script: a, needs: [build]}', 'test job: undefined need: build'],
  ['test: {script: a, dependencies: [build]}', 'test job: undefined dependency: build'],
  [
    'test: {script: a, stage: build, needs: [b]}\nb: {script: a}',
    'test job: need b is not defined in current or prior stages',
  ],
  [
    'test: {script: a, needs: [b], dependencies: [b, c]}\nb: {script: a}\nc: {script: a}',
    'jobs:test dependencies the c should be part of needs',
  ],
  [
    'test: {script: a, needs: [b]}\nb: {script: a, needs: [test]}',
    'The pipeline has circular dependencies: topological sort failed: ["test", "b"]',
  ],
  ['test: {script: a, needs: [test]}', 'The pipeline has circular dependencies: self-dependency: test'],
  [
    'test: {script: a, needs: [b]}\nb: {script: a, rules: [{when: never}]}',
    "'test' job needs 'b' job, but 'b' does not exist in the pipeline. This might be because of the only, except, or rules keywords. To need a job that sometimes does not exist in the pipeline, use needs:optional.",
  ],
  ['test: {trigger: {branch: x}}', "jobs:test:trigger project can't be blank"],
  [
    'test: {trigger: {include: [{artifact: x}]}}',
    'jobs:test:trigger:include config must specify the job where to fetch the artifact from',
  ],
  ['test: {trigger: {project: a/b, strategy: wait}}', 'jobs:test:trigger strategy should be one of: depend, mirror'],
  [
    'test: {trigger: {include: [a.yml, b.yml, c.yml, d.yml]}}',
    'jobs:test:trigger:include config is too long (maximum is 3)',
  ],
  ['test: {trigger: g/p, allow_failure: {exit_codes: 1}}', 'jobs:test:allow_failure config should be a boolean value'],
  [
    'test: {script: a, release: {tag_name: v1, description: b, released_at: soon}}',
    'jobs:test:release released at must be a valid datetime',
  ],
  ['test: {script: a, release: {tag_name: v1}}', "jobs:test:release description can't be blank"],
  [
    'test: {script: a, secrets: {A: {gcp_secret_manager: {name: a}}}}',
    'jobs:test:secrets:A config needs a token: `token`, or one under `id_tokens`',
  ],
  [
    'test: {script: a, secrets: {A: {file: true, token: $T}}}',
    'jobs:test:secrets:A config must use exactly one of these keys: vault, gcp_secret_manager, azure_key_vault, aws_secrets_manager',
  ],
  [
    'test: {script: a, secrets: {A: {vault: field, token: $T}}}',
    'jobs:test:secrets:A:vault config should be a hash, or a string such as path/field@engine',
  ],
  [
    'test: {script: a, secrets: {A: {vault: {path: a, field: b, engine: {name: kv-v2}}, token: $T}}}',
    'jobs:test:secrets:A:vault:engine config missing required keys: path',
  ],
  [
    'test: {script: a, secrets: {A: {aws_secrets_manager: {field: b}}}}',
    'jobs:test:secrets:A:aws_secrets_manager config missing required keys: secret_id',
  ],
  [
    'test: {script: a, secrets: {A: {gitlab_secrets_manager: {name: b}, azure_key_vault: {name: a}, token: $T}}}',
    'jobs:test:secrets:A config contains unknown keys: gitlab_secrets_manager',
  ],
  ['test: {script: a, extends: .none}', 'test: unknown keys in `extends` (.none)'],
  ['test: {extends: other}\nother: {extends: test}', 'test: circular dependency detected in `extends`'],
  ['.list: [a]\ntest: {extends: .list, script: a}', 'test: invalid base hashes in `extends`'],
  ['test: {script: !reference [.none, script]}', '!reference [".none", "script"] could not be found'],
  ['test: {script: [!reference [test, script]]}', '!reference ["test", "script"] is part of a circular chain'],
  [
    'test: {script: a, inherit: {default: 1}}',
    'jobs:test:inherit:default config should be a bool or an array of strings',
  ],
  [
    'test: {script: a, inherit: {default: [image, script]}}',
    'jobs:test:inherit:default config contains unknown values: script',
  ],
  [
    'a: {script: a}\ntest: {script: a, needs: [a, {job: a, artifacts: false}]}',
    'test has the following needs duplicated: a.',
  ],
  [
    'a: {script: a}\ntest: {script: a, needs: [a], rules: [{if: $A, needs: [a, a]}]}',
    'test has the following needs duplicated: a.',
  ],
  ['test: {script: a, inputs: []}', 'jobs:test:inputs config should be a hash'],
  ['test: {script: a, inputs: {x: {}}}', 'jobs:test:inputs:x input must have a default value'],
  ['test: {script: a, inputs: {x: }}', 'jobs:test:inputs:x input must have a default value'],
  ['test: {script: a, inputs: {x: {default: a, rules: []}}}', 'jobs:test:inputs:x config contains unknown keys: rules'],
  [
    'test: {script: a, inputs: {x: {default: a, type: number}}}',
    'jobs:test:inputs:x `x` input: default value is not a number',
  ],
  ['spec: {inputs: {}, imports: x}\n---\ntest: {script: a}', 'header:spec config contains unknown keys: imports'],
  ['test: {script: [*none]}', 'Unknown alias: none'],
  ['include: none.yml\ntest: {script: a}', 'Local file `none.yml` does not exist!'],
  ['include: none.txt\ntest: {script: a}', 'Included file `none.txt` does not have YAML extension!'],
  [
    'include: {path: a.yml}\ntest: {script: a}',
    '`{"path":"a.yml"}` does not have a valid subkey for include. Valid subkeys are: `local`, `file`, `remote`, `template`, `artifact`, `component`',
  ],
  [
    'include: {local: a.yml, remote: "https://x/y.yml"}\ntest: {script: a}',
    'Each include must use only one of: `local`, `remote`',
  ],
];

/** Values that YAML accepts, but of another type or form than the keyword takes. */
const wrongValues: readonly (readonly [string, string])[] = [
  ['only: main', 'jobs:test:only has to be either an array of conditions or a hash'],
  ['only: [2024]', 'jobs:test:only config should be an array of strings or regular expressions using re2 syntax'],
  ['only: {}', "jobs:test:only config can't be blank"],
  ['rules: []', "jobs:test:rules config can't be blank"],
  ['rules: [{}]', "jobs:test:rules:rule config can't be blank"],
  ['rules: [{when: delayed, start_in: 10}]', 'jobs:test:rules:rule start in should be a duration'],
  [
    'rules: [{if: $A, needs: [{pipeline: "5", job: b}]}]',
    'jobs:test:rules:rule:needs config uses invalid types: pipeline',
  ],
  [
    'rules: [{if: $A, needs: [{project: g/p, job: b, ref: main}]}]',
    'jobs:test:rules:rule:needs config uses invalid types: project',
  ],
  ['needs: [{pipeline: 5, job: b}]', 'jobs:test:needs:need pipeline should be a string'],
  ['when: delayed, start_in: 60', 'jobs:test start in should be a duration'],
  ['timeout: 3600', 'jobs:test timeout should be a duration'],
  ['artifacts: {paths: [a], expire_in: 3600}', 'jobs:test:artifacts expire in should be a duration'],
  [
    'artifacts: {paths: [a], expose_as: -a}',
    'jobs:test:artifacts expose as can contain only letters, digits, -, _ and spaces',
  ],
  ['environment: 5', 'jobs:test:environment config should be a hash or a string'],
  [
    'environment: {name: 5}',
    "jobs:test:environment name can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', and spaces, but it cannot start or end with '/'",
  ],
  ['environment: {name: a, auto_stop_in: 5}', 'jobs:test:environment auto stop in should be a string'],
  ['environment: {name: a, kubernetes: {}}', "jobs:test:environment:kubernetes config can't be blank"],
  [
    'environment: {name: a, kubernetes: {agent: b, flux_resource_path: c}}',
    "jobs:test:environment:kubernetes namespace can't be blank",
  ],
  ['release: {tag_name: "", description: a}', "jobs:test:release tag name can't be blank"],
  ['release: {tag_name: 5, description: a}', 'jobs:test:release tag name should be a string'],
  ['release: {tag_name: a, description: a, ref: "a b"}', 'jobs:test:release ref must be a valid ref'],
  ['release: {tag_name: a, description: a, assets: {}}', "jobs:test:release:assets links can't be blank"],
  ['publish: a', 'jobs:test publish can only be used within a `pages` job'],
  ['pages: {}, publish: a', 'jobs:test publish can only be used within a `pages` job'],
  ['pages: {publish: b}, publish: a', 'test job: use either test:publish or test:pages:publish'],
  ['pages: {expire_in: 5}', 'jobs:test:pages expire in should be a duration'],
  ['image: ""', "jobs:test:image name can't be blank"],
  ['image: {name: ""}', "jobs:test:image name can't be blank"],
  ['image: {name: a, entrypoint: b}', 'jobs:test:image entrypoint should be an array of strings'],
  ['image: {name: a, pull_policy: []}', "jobs:test:image:pull_policy config can't be blank"],
  ['image: {name: a, docker: {user: ""}}', "jobs:test:image:docker user can't be blank"],
  ['services: [{name: a, command: b}]', 'jobs:test:services:service command should be an array of strings'],
  ['cache: {key: 5, paths: [a]}', 'jobs:test:cache:key should be a hash, a string or a symbol'],
  ['cache: {key: "..", paths: [a]}', 'jobs:test:cache:key config cannot be "." or ".."'],
  [
    'cache: {key: {files: [a], prefix: [b]}, paths: [a]}',
    'jobs:test:cache:key:prefix config should be a string or symbol',
  ],
  [
    'cache: {key: {files: [a], prefix: b/c}, paths: [a]}',
    'jobs:test:cache:key:prefix config cannot contain the "/" character',
  ],
];

/** Steps of `run` that are refused. */
const wrongSteps: readonly (readonly [string, string])[] = [
  ['x', 'jobs:test:run config should be an array of steps'],
  ['[x]', 'jobs:test:run config should be an array of steps'],
  ['[{name: a}]', 'jobs:test:run config must use exactly one of these keys: step, action, script, run, exec'],
  [
    '[{name: a, step: b, script: c}]',
    'jobs:test:run config must use exactly one of these keys: step, action, script, run, exec',
  ],
  ['[{script: a}]', 'jobs:test:run config missing required keys: name'],
  ['[{name: a-b, script: a}]', 'jobs:test:run name can contain only letters, digits and _'],
  ['[{name: a, script: ""}]', "jobs:test:run script can't be blank"],
  ['[{name: a, script: [b]}]', 'jobs:test:run script should be a string'],
  ['[{name: a, script: b, inputs: {c: d}}]', 'jobs:test:run config contains unknown keys: inputs'],
  ['[{name: a, step: b, env: {C: 1}}]', 'jobs:test:run:env C should be a string'],
  ['[{name: a, step: b, inputs: {c-d: 1}}]', 'jobs:test:run:inputs key c-d can contain only letters, digits and _'],
  ['[{name: a, step: {git: {url: b}}}]', 'jobs:test:run:step:git config missing required keys: rev'],
  [
    '[{name: a, step: {oci: {registry: b, tag: c}}}]',
    'jobs:test:run:step:oci config missing required keys: repository',
  ],
  ['[{name: a, step: {svn: b}}]', 'jobs:test:run:step config must use exactly one of these keys: git, oci'],
  ['[{exec: {command: []}}]', "jobs:test:run:exec command can't be blank"],
  [
    '[{run: [{name: a}]}]',
    'jobs:test:run:run config must use exactly one of these keys: step, action, script, run, exec',
  ],
];

/** The same outside jobs with a script. */
const others: readonly (readonly [string, string])[] = [
  [
    'test: {script: a, run: [{name: b, script: c}]}',
    'jobs:test config these keys cannot be used together: script, run',
  ],
  ['test: {trigger: {project: ""}}', "jobs:test:trigger project can't be blank"],
  ['test: {trigger: {include: [{artifact: a.yml, job: b}]}}', 'test job: undefined dependency: b'],
  [
    'test: {trigger: {include: [{artifact: a.yml, job: b}]}}\nb: {script: a, stage: deploy}',
    'test job: dependency b is not defined in current or prior stages',
  ],
  ['workflow: {rules: []}\ntest: {script: a}', "workflow:rules config can't be blank"],
  [
    'variables: {A: {value: a, description: [b]}}\ntest: {script: a}',
    'variables:A config description must be an alphanumeric string',
  ],
  ['spec: {component: name}\n---\ntest: {script: a}', 'header:spec component should be an array of strings'],
  [
    'spec: {component: [name, branch]}\n---\ntest: {script: a}',
    'header:spec component contains unknown values: branch',
  ],
  [
    `spec: {description: ${'a'.repeat(257)}}\n---\ntest: {script: a}`,
    'header:spec description is too long (maximum is 256 characters)',
  ],
  [
    'spec: {inputs: {a: {default: b, options: [b, null]}}}\n---\ntest: {script: a}',
    '`a` input: options array cannot contain null values',
  ],
  [
    'spec: {inputs: {a: {rules: [{default: b, when: always}]}}}\n---\ntest: {script: a}',
    'header:spec:inputs:a:rules config should be a list of rules with an if, options or a default, and nothing else',
  ],
  ['spec: {inputs: {}}\nother: 1\n---\ntest: {script: a}', 'header config contains unknown keys: other'],
  [
    'spec: {inputs: {a: {default: b, description: [c]}}}\n---\ntest: {script: a}',
    'header:spec:inputs:a description must be an alphanumeric string',
  ],
];

describe('configuration errors', () => {
  for (const [steps, expected] of wrongSteps) {
    it(`run: ${steps}`, async () => {
      assert.deepEqual(await errorsOf(`test: {run: ${steps}}`), [expected]);
    });
  }

  for (const [text, expected] of [
    ...wrongValues.map(([keys, error]) => [`test: {script: a, ${keys}}`, error] as const),
    ...others,
  ]) {
    it(JSON.stringify(text.slice(0, 90)), async () => {
      assert.deepEqual(await errorsOf(text), [expected]);
    });
  }

  for (const [text, expected] of cases) {
    it(JSON.stringify(text.slice(0, 90)), async () => {
      assert.deepEqual(await errorsOf(text), [expected]);
    });
  }

  it('are reported together with lines and files', async () => {
    const text = 'stages: [test]\n\ntest:\n  script: a\n  retry: 5\n\nother:\n  stage: test\n\ninclude: more.yml\n';
    const result = await compiled(text, { files: { 'more.yml': '\nincluded:\n  script: a\n  parallel: 0\n' } });
    assert.equal(result.outcome, 'invalid');
    assert.deepEqual(result.outcome === 'invalid' && result.errors, [
      { message: 'jobs:included:parallel config must be greater than or equal to 1', line: 4, file: 'more.yml' },
      { message: 'jobs:test:retry config must be less than or equal to 2', line: 5, file: null },
      { message: 'jobs other config should implement the script:, run:, or trigger: keyword', line: 7, file: null },
    ]);
  });

  it('include the position of YAML syntax errors', async () => {
    const result = await compiled('test:\n  script: a\n bad: b\n');
    assert.ok(result.outcome === 'invalid');
    assert.equal(result.errors[0]?.line, 3);
    assert.match(result.errors[0]?.message ?? '', /^\(<unknown>\): .* at line 3 column \d+$/);
  });
});
