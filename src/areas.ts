import type { Area } from './access/area.ts';
import type { Gates } from './access/gates.ts';
import { limitEndpoints } from './access/limits/endpoint-limits.ts';
import type { Route } from './access/route.ts';
import type { Services } from './access/services.ts';
import { artifacts } from './ci/artifacts/area.ts';
import { badges } from './ci/badges/area.ts';
import { codeReports } from './ci/code-reports/area.ts';
import { commitStatuses } from './ci/commit-statuses/area.ts';
import { coverage } from './ci/coverage/area.ts';
import { dependencyProxy } from './ci/dependency-proxy/area.ts';
import { downstream } from './ci/downstream/area.ts';
import { environments } from './ci/environments/area.ts';
import { featureFlags } from './ci/feature-flags/area.ts';
import { freezePeriods } from './ci/freeze-periods/area.ts';
import { idTokens } from './ci/id-tokens/area.ts';
import { jobLogs } from './ci/job-logs/area.ts';
import { jobQueue } from './ci/job-queue/area.ts';
import { jobTokens } from './ci/job-tokens/area.ts';
import { jobs } from './ci/jobs/area.ts';
import { lint } from './ci/lint/area.ts';
import { minutes } from './ci/minutes/area.ts';
import { packages } from './ci/packages/area.ts';
import { pages } from './ci/pages/area.ts';
import { pipelineCreation } from './ci/pipeline-creation/area.ts';
import { pipelines } from './ci/pipelines/area.ts';
import { registry } from './ci/registry/area.ts';
import { resourceGroups } from './ci/resource-groups/area.ts';
import { runners } from './ci/runners/area.ts';
import { schedules } from './ci/schedules/area.ts';
import { secureFiles } from './ci/secure-files/area.ts';
import { stuckJobs } from './ci/stuck-jobs/area.ts';
import { terraformStates } from './ci/terraform-states/area.ts';
import { testReports } from './ci/test-reports/area.ts';
import { triggers } from './ci/triggers/area.ts';
import { variables } from './ci/variables/area.ts';
import { archives } from './code/archives/area.ts';
import { branches } from './code/branches/area.ts';
import { changelog } from './code/changelog/area.ts';
import { codeOwners } from './code/code-owners/area.ts';
import { commits } from './code/commits/area.ts';
import { compare } from './code/compare/area.ts';
import { deploy } from './code/deploy/area.ts';
import { downloadLimits } from './code/download-limits/area.ts';
import { downloads } from './code/downloads/area.ts';
import { fetchStatistics } from './code/fetch-statistics/area.ts';
import { files } from './code/files/area.ts';
import { firstCommit } from './code/first-commit/area.ts';
import { forks } from './code/forks/area.ts';
import { health } from './code/health/area.ts';
import { languages } from './code/languages/area.ts';
import { lfs } from './code/lfs/area.ts';
import { projectAliases } from './code/project-aliases/area.ts';
import { protectedRefs } from './code/protected-refs/area.ts';
import { pullMirrors } from './code/pull-mirrors/area.ts';
import { pushes } from './code/pushes/area.ts';
import { releases } from './code/releases/area.ts';
import { remoteMirrors } from './code/remote-mirrors/area.ts';
import { signatures } from './code/signatures/area.ts';
import { sshCertificates } from './code/ssh-certificates/area.ts';
import { tags } from './code/tags/area.ts';
import { templates } from './code/templates/area.ts';
import { transport } from './code/transport/area.ts';
import { trees } from './code/trees/area.ts';
import { upkeep } from './code/upkeep/area.ts';
import { trackedErrors } from './error-tracking/errors/area.ts';
import { errorIngestion } from './error-tracking/ingest/area.ts';
import { errorTrackingSettings } from './error-tracking/settings/area.ts';
import { graphql } from './graphql/area.ts';
import { importedContent } from './imports/content/area.ts';
import { directTransfer } from './imports/direct-transfer/area.ts';
import { gists } from './imports/gists/area.ts';
import { gitUrl } from './imports/git-url/area.ts';
import { groupArchives } from './imports/group-archives/area.ts';
import { groupExports } from './imports/group-exports/area.ts';
import { hosta } from './imports/hosta/area.ts';
import { hostb } from './imports/hostb/area.ts';
import { hostbServer } from './imports/hostb-server/area.ts';
import { projectArchives } from './imports/project-archives/area.ts';
import { projectExports } from './imports/project-exports/area.ts';
import { projectImports } from './imports/project-imports/area.ts';
import { reassignments } from './imports/reassignments/area.ts';
import { relationExports } from './imports/relation-exports/area.ts';
import { relationImports } from './imports/relation-imports/area.ts';
import { appearance } from './instance/appearance/area.ts';
import { auditEvents } from './instance/audit-events/area.ts';
import { background } from './instance/background/area.ts';
import { broadcastMessages } from './instance/broadcast-messages/area.ts';
import { metadata } from './instance/metadata/area.ts';
import { planLimits } from './instance/plan-limits/area.ts';
import { settings } from './instance/settings/area.ts';
import { statistics } from './instance/statistics/area.ts';
import { incomingMail } from './integrations/incoming-mail/area.ts';
import { mail } from './integrations/mail/area.ts';
import { search } from './integrations/search/area.ts';
import { webhooks } from './integrations/webhooks/area.ts';
import { accessTokens } from './namespaces/access-tokens/area.ts';
import { events } from './namespaces/events/area.ts';
import { groups } from './namespaces/groups/area.ts';
import { ldapGroupLinks } from './namespaces/ldap-group-links/area.ts';
import { ldapSync } from './namespaces/ldap-sync/area.ts';
import { memberRoles } from './namespaces/member-roles/area.ts';
import { members } from './namespaces/members/area.ts';
import { namespaces } from './namespaces/namespaces/area.ts';
import { projects } from './namespaces/projects/area.ts';
import { samlGroupLinks } from './namespaces/saml-group-links/area.ts';
import { serviceAccounts } from './namespaces/service-accounts/area.ts';
import { tokenAssociations } from './namespaces/token-associations/area.ts';
import { avatars } from './people/avatars/area.ts';
import { customAttributes } from './people/custom-attributes/area.ts';
import { directory } from './people/directory/area.ts';
import { keys } from './people/keys/area.ts';
import { oauth } from './people/oauth/area.ts';
import { openid } from './people/openid/area.ts';
import { ownAccount } from './people/own-account/area.ts';
import { saml } from './people/saml/area.ts';
import { secondFactor } from './people/second-factor/area.ts';
import { sessions } from './people/sessions/area.ts';
import { signInProviders } from './people/sign-in-providers/area.ts';
import { terms } from './people/terms/area.ts';
import { tokens } from './people/tokens/area.ts';
import { users } from './people/users/area.ts';
import { awardEmoji } from './planning/award-emoji/area.ts';
import { boards } from './planning/boards/area.ts';
import { commitNotes } from './planning/commit-notes/area.ts';
import { epics } from './planning/epics/area.ts';
import { issues } from './planning/issues/area.ts';
import { iterations } from './planning/iterations/area.ts';
import { labels } from './planning/labels/area.ts';
import { markdown } from './planning/markdown/area.ts';
import { mentions } from './planning/mentions/area.ts';
import { milestones } from './planning/milestones/area.ts';
import { notes } from './planning/notes/area.ts';
import { notificationSettings } from './planning/notification-settings/area.ts';
import { releaseMilestones } from './planning/release-milestones/area.ts';
import { resourceEvents } from './planning/resource-events/area.ts';
import { snippets } from './planning/snippets/area.ts';
import { timeTracking } from './planning/time-tracking/area.ts';
import { todos } from './planning/todos/area.ts';
import { wikis } from './planning/wikis/area.ts';
import { analytics } from './review/analytics/area.ts';
import { mergeRequests } from './review/merge-requests/area.ts';
import { web } from './web/area.ts';

/**
 * Every area. Subscribers are called in this order, so an area is listed after those it builds on. If two paths match,
 * the router prefers the more literal one.
 */
export const areas: readonly Area[] = [
  metadata,
  settings,
  planLimits,
  appearance,
  broadcastMessages,
  background,
  users,
  avatars,
  customAttributes,
  keys,
  tokens,
  secondFactor,
  terms,
  sessions,
  ownAccount,
  oauth,
  directory,
  signInProviders,
  openid,
  saml,
  namespaces,
  groups,
  projects,
  members,
  ldapGroupLinks,
  samlGroupLinks,
  memberRoles,
  ldapSync,
  accessTokens,
  serviceAccounts,
  tokenAssociations,
  events,
  archives,
  branches,
  changelog,
  codeOwners,
  commits,
  compare,
  deploy,
  projectAliases,
  downloadLimits,
  downloads,
  fetchStatistics,
  files,
  firstCommit,
  forks,
  health,
  languages,
  lfs,
  protectedRefs,
  pushes,
  releases,
  remoteMirrors,
  pullMirrors,
  signatures,
  sshCertificates,
  tags,
  templates,
  transport,
  trees,
  upkeep,
  markdown,
  labels,
  milestones,
  pipelines,
  jobs,
  runners,
  variables,
  minutes,
  jobQueue,
  jobLogs,
  jobTokens,
  triggers,
  schedules,
  freezePeriods,
  terraformStates,
  downstream,
  artifacts,
  testReports,
  codeReports,
  environments,
  resourceGroups,
  coverage,
  idTokens,
  secureFiles,
  packages,
  registry,
  dependencyProxy,
  featureFlags,
  pages,
  badges,
  stuckJobs,
  pipelineCreation,
  lint,
  commitStatuses,
  issues,
  epics,
  iterations,
  boards,
  notificationSettings,
  snippets,
  commitNotes,
  notes,
  awardEmoji,
  mentions,
  releaseMilestones,
  resourceEvents,
  timeTracking,
  todos,
  wikis,
  mergeRequests,
  analytics,
  webhooks,
  mail,
  incomingMail,
  auditEvents,
  statistics,
  search,
  errorTrackingSettings,
  trackedErrors,
  errorIngestion,
  web,
  graphql,
  projectImports,
  projectExports,
  relationExports,
  relationImports,
  projectArchives,
  groupExports,
  groupArchives,
  directTransfer,
  importedContent,
  reassignments,
  hosta,
  gists,
  gitUrl,
  hostb,
  hostbServer,
];

/** Every operation of the API. */
export function routesOf(services: Services, gates: Gates, included: readonly Area[] = areas): Route[] {
  const routes: Route[] = limitEndpoints(
    services,
    included.flatMap((area) => area.routes?.(services, gates, () => routes) ?? []),
  );
  return routes;
}
