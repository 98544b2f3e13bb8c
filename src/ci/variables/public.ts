export { scopeRank } from './environment-scope.ts';
export { type JobRun, variablesOfJob } from './job-variables.ts';
export { mergeRequestVariables, type RequestRun } from './merge-request-variables.ts';
export { configPathOf, predefinedVariables, upstreamVariables, userVariables } from './predefined.ts';
export { type RefFacts, refVariables } from './ref-variables.ts';
export { type JobVariable, type SettingVariables, settingVariables } from './settings.ts';
