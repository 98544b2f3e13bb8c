export { scopeRank } from './environment-scope.ts';
export { type JobRun, variablesOfJob } from './job-variables.ts';
export { mergeRequestVariables, type RequestRun } from './of-merge-request.ts';
export { type RefFacts, refVariables } from './of-ref.ts';
export { configPathOf, predefinedVariables, upstreamVariables, userVariables } from './predefined.ts';
export { type JobVariable, type SettingVariables, settingVariables } from './settings.ts';
