import Type from 'typebox';
import { param, required } from '../../platform/http/params.ts';
import { entity, nullable } from '../../platform/http/schema.ts';

export const ofPipeline = {
  id: required(param.string({ description: 'ID or URL-encoded path of the project' })),
  pipeline_id: required(param.integer()),
};

const text = () => nullable(Type.String());
const counts = {
  total_time: Type.Number(),
  total_count: Type.Integer(),
  success_count: Type.Integer(),
  failed_count: Type.Integer(),
  skipped_count: Type.Integer(),
  error_count: Type.Integer(),
};

const testCase = {
  status: Type.String(),
  name: Type.String(),
  classname: Type.String(),
  file: text(),
  execution_time: Type.Number(),
  system_output: text(),
  stack_trace: text(),
  recent_failures: nullable(Type.Object({ count: Type.Integer(), base_branch: Type.String() })),
};
const TestCase = entity('TestCase', testCase);

/** Position of a test: its suite and its index in the suite. */
const place = { suite_name: Type.String(), position: Type.Integer() };
export const PlacedTestCase = entity('PlacedTestCase', { ...testCase, ...place });
export const TestFailure = entity('TestFailure', {
  status: Type.String(),
  name: Type.String(),
  classname: Type.String(),
  ...place,
});

export const caseListing = {
  ...ofPipeline,
  suite: param.string({ description: 'Return only tests of this suite' }),
  status: param.oneOf(['failed', 'error', 'skipped', 'success']),
  position: param.integer({ description: 'Index of the test in its suite' }),
};
export const TestReport = entity('TestReport', {
  ...counts,
  test_suites: Type.Array(
    Type.Object({ name: Type.String(), ...counts, suite_error: text(), test_cases: Type.Array(TestCase) }),
  ),
});
export const TestReportSummary = entity('TestReportSummary', {
  total: Type.Object({
    time: Type.Number(),
    count: Type.Integer(),
    success: Type.Integer(),
    failed: Type.Integer(),
    skipped: Type.Integer(),
    error: Type.Integer(),
    suite_error: text(),
  }),
  test_suites: Type.Array(
    Type.Object({ name: Type.String(), ...counts, build_ids: Type.Array(Type.Integer()), suite_error: text() }),
  ),
});
