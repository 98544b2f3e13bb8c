export { compile, declaredInputs } from './compile.ts';
export type {
  CompileContext,
  ConfigOrigin,
  ConfigSource,
  ContextVariable,
  FilesAt,
  IncludedFile,
  IncludeRequest,
  IncludeResolver,
  Limits,
  RefFacts,
  RepositoryFacts,
} from './context.ts';
export { durationSeconds, neverExpires } from './duration.ts';
export { isExpression } from './expressions/expression.ts';
export { compileGlob, compileIncludeGlob, hasWildcard } from './expressions/glob.ts';
export { compilePattern, type Pattern } from './expressions/pattern.ts';
export type { DeclaredInput } from './includes/describe-inputs.ts';
export { failureReasons } from './jobs/failure-reasons.ts';
export { givenJobInputs } from './jobs/job-inputs.ts';
export { defaultLimits } from './limits.ts';
export type {
  AutoCancel,
  JobWhen,
  PipelineNeed,
  Plan,
  PlannedArtifacts,
  PlannedCache,
  PlannedEnvironment,
  PlannedImage,
  PlannedInput,
  PlannedJob,
  PlannedNeed,
  PlannedPages,
  PlannedRelease,
  PlannedRetry,
  PlannedSecret,
  PlannedService,
  PlannedTrigger,
  PlannedVariable,
  PlannedWorkflow,
  ProjectNeed,
  SecretSource,
  TriggerInclude,
} from './plan.ts';
export type { Compilation, ConfigError, Examined, LintInclude, LintJob } from './result.ts';
export { storedJob } from './stored-plan.ts';
export { slug } from './variables/slug.ts';
export { Expansion, expand, expandAll, expandKnown } from './variables/variable-expansion.ts';
