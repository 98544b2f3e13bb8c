import type { Migration } from '../platform/database/migrator.ts';
import { queue } from '../platform/queue/migration.ts';
import { people } from './0001-people.ts';
import { places } from './0002-places.ts';
import { labels } from './0003-labels.ts';
import { pushes } from './0010-pushes.ts';
import { protectedRefs } from './0011-protected-refs.ts';
import { deploy } from './0012-deploy.ts';
import { lfs } from './0013-lfs.ts';
import { commits } from './0020-commits.ts';
import { releases } from './0021-releases.ts';
import { health } from './0030-health.ts';
import { signatures } from './0032-signatures.ts';
import { search } from './0033-search.ts';
import { wholeNames } from './0034-whole-names.ts';
import { oneGhost } from './0035-one-ghost.ts';
import { applicationSettings } from './0038-application-settings.ts';
import { planning } from './0040-planning.ts';
import { issues } from './0041-issues.ts';
import { issueSearch } from './0042-issue-search.ts';
import { crossReferences } from './0045-cross-references.ts';
import { crossReferenceTargets } from './0046-cross-reference-targets.ts';
import { snippets } from './0048-snippets.ts';
import { epics } from './0049-epics.ts';
import { boards } from './0050-boards.ts';
import { notificationSettings } from './0051-notification-settings.ts';
import { ci } from './0060-ci.ts';
import { registrationTokens } from './0061-registration-tokens.ts';
import { pipelineNumbers } from './0062-pipeline-numbers.ts';
import { jobQueue } from './0064-job-queue.ts';
import { jobArtifacts } from './0065-job-artifacts.ts';
import { webhooks } from './0070-webhooks.ts';
import { noteSearch } from './0071-search.ts';
import { wikis } from './0072-wikis.ts';
import { auditEvents } from './0073-audit-events.ts';
import { errorTracking } from './0080-error-tracking.ts';
import { errorIssues } from './0081-error-issues.ts';
import { mergeRequests } from './0090-merge-requests.ts';
import { mergeRequestLanding } from './0091-merge-request-landing.ts';
import { approvalRules } from './0092-approval-rules.ts';
import { deployedMergeRequests } from './0093-deployed-merge-requests.ts';
import { remoteMirrors } from './0100-remote-mirrors.ts';
import { imports } from './0101-imports.ts';
import { ciVariables } from './0110-ci-variables.ts';
import { triggersAndSchedules } from './0111-triggers-and-schedules.ts';
import { environments } from './0112-environments.ts';
import { resourceGroups } from './0113-resource-groups.ts';
import { signingKeys } from './0114-signing-keys.ts';
import { secureFiles } from './0115-secure-files.ts';
import { iterations } from './0125-iterations.ts';
import { iterationEvents } from './0126-iteration-events.ts';
import { epicLinks } from './0127-epic-links.ts';
import { sessions } from './0130-sessions.ts';
import { draftNotes } from './0200-draft-notes.ts';
import { outdatedNotes } from './0201-outdated-notes.ts';
import { suggestions } from './0202-suggestions.ts';
import { mergeRequestBlocks } from './0203-merge-request-blocks.ts';
import { pullMirrors } from './0220-pull-mirrors.ts';
import { projectExports } from './0221-project-exports.ts';
import { directoryGroups } from './0230-directory.ts';
import { downloads } from './0231-downloads.ts';
import { commitNotes } from './0240-commit-notes.ts';
import { openIssues } from './0241-open-issues.ts';
import { issueOrders } from './0242-issue-orders.ts';
import { milestoneReleases } from './0270-milestone-releases.ts';
import { issueLists } from './0290-issue-lists.ts';
import { deployTokenOfJobs } from './0300-deploy-token-of-jobs.ts';
import { badges } from './0301-badges.ts';
import { jobsOfRunners } from './0302-jobs-of-runners.ts';
import { planLimits } from './0310-plan-limits.ts';
import { tokenExpiryNotices } from './0311-token-expiry-notices.ts';
import { codeOwnerRules } from './0320-code-owner-rules.ts';
import { approvalSettingsOfGroups } from './0321-approval-settings.ts';
import { mergeRequestRefs } from './0322-merge-request-refs.ts';
import { pullMirrorKeys } from './0330-pull-mirror-keys.ts';
import { placeholderReassignments } from './0331-placeholder-reassignments.ts';
import { mirrorLetters } from './0332-mirror-letters.ts';
import { instanceRegistrationToken } from './0350-instance-registration-token.ts';
import { logChecksums } from './0351-log-checksums.ts';
import { fairQueue } from './0352-fair-queue.ts';
import { issueFacts } from './0360-issue-facts.ts';
import { userAgents } from './0361-user-agents.ts';
import { unconfirmedAddresses } from './0370-unconfirmed-addresses.ts';
import { mergeRequestListIndexes } from './0380-merge-request-list-indexes.ts';
import { openIssueCounts } from './0410-open-issue-counts.ts';
import { issueConfidentiality } from './0411-issue-confidentiality.ts';
import { eventsOfPeople } from './0420-events-of-people.ts';
import { projectsThatAreNoForks } from './0421-projects-that-are-no-forks.ts';
import { mergeRequestFacts } from './0440-merge-request-facts.ts';
import { mergeRequestVersionDue } from './0441-merge-request-version-due.ts';
import { groupApprovalRules } from './0442-group-approval-rules.ts';
import { relationExports } from './0450-relation-exports.ts';
import { runningImports } from './0451-running-imports.ts';
import { issueStates } from './0460-issue-states.ts';
import { watchersEverywhere } from './0465-watchers-everywhere.ts';
import { mergeRequestDeploymentTimes } from './0470-merge-request-deployment-times.ts';
import { deploymentsBrought } from './0471-deployments-brought.ts';
import { appearance } from './0475-appearance.ts';
import { flatLists } from './0476-flat-lists.ts';
import { countedByIndex } from './0477-counted-by-index.ts';
import { pipelineAndJobLists } from './0480-pipeline-and-job-lists.ts';
import { childPipelineLists } from './0481-child-pipeline-lists.ts';
import { epicBoards } from './0495-epic-boards.ts';
import { filesOfUploads } from './0496-files-of-uploads.ts';
import { draftLists } from './0500-draft-lists.ts';
import { listsOfBelongings } from './0505-lists-of-belongings.ts';
import { groupsAroundRoles } from './0506-groups-around-roles.ts';
import { starsKeysAndContributions } from './0507-stars-keys-and-contributions.ts';
import { mergeRequestStates } from './0525-merge-request-states.ts';
import { forksByVisibility } from './0530-forks-by-visibility.ts';
import { suggestionCommits } from './0545-suggestion-commits.ts';
import { contributions } from './0550-contributions.ts';
import { groupRelationExports } from './0560-group-relation-exports.ts';
import { directTransfers } from './0561-direct-transfers.ts';
import { protectedEnvironments } from './0570-protected-environments.ts';
import { packages } from './0571-packages.ts';
import { serviceAccountList } from './0580-service-accounts.ts';
import { oauth } from './0581-oauth.ts';
import { mergeRequestOrders } from './0590-merge-request-orders.ts';
import { awaitingMembers } from './0600-awaiting-members.ts';
import { secondFactor } from './0605-second-factor.ts';
import { requiredSecondFactor } from './0606-required-second-factor.ts';
import { featureFlags } from './0610-feature-flags.ts';
import { packageSearch } from './0611-package-search.ts';
import { mergeTrains } from './0620-merge-trains.ts';
import { broadcastMessages } from './0632-broadcast-messages.ts';
import { deployedUnmerged } from './0640-deployed-unmerged.ts';
import { longTexts } from './0645-long-texts.ts';
import { keptCounts } from './0650-kept-counts.ts';
import { supportPins } from './0651-support-pins.ts';
import { pages } from './0655-pages.ts';
import { containerRegistry } from './0660-container-registry.ts';
import { statusChecks } from './0665-status-checks.ts';
import { searchAtCommit } from './0670-search-at-commit.ts';
import { labelPairs } from './0675-label-pairs.ts';
import { keptPeople } from './0680-kept-people.ts';
import { inactiveProjects } from './0685-inactive-projects.ts';
import { packageProtection } from './0686-package-protection.ts';
import { npm } from './0690-npm.ts';
import { pypi } from './0691-pypi.ts';
import { chats } from './0695-chats.ts';
import { keptIssues } from './0696-kept-issues.ts';
import { invitationSearch } from './0700-invitation-search.ts';
import { topGroups } from './0701-top-groups.ts';
import { keptGroups } from './0702-kept-groups.ts';
import { metricImages } from './0705-metric-images.ts';
import { issuesInOrder } from './0706-issues-in-order.ts';
import { incomingMail } from './0710-incoming-mail.ts';
import { freezePeriods } from './0715-freeze-periods.ts';
import { terraformStates } from './0716-terraform-states.ts';
import { maven } from './0725-maven.ts';
import { removedApprovalRules } from './0730-removed-approval-rules.ts';
import { mergeRequestLabelPairs } from './0740-merge-request-label-pairs.ts';
import { issuesDue } from './0741-issues-due.ts';
import { jiraMentions } from './0750-jira-mentions.ts';
import { groupExports } from './0760-group-exports.ts';
import { groupImports } from './0761-group-imports.ts';
import { deploymentsByCommit } from './0770-deployments-by-commit.ts';
import { groupUploads } from './0800-group-uploads.ts';
import { listsOfAProject } from './0830-lists-of-a-project.ts';
import { eventsByPlace } from './0840-events-by-place.ts';
import { activeSchedules } from './0841-active-schedules.ts';
import { relationImports } from './0860-relation-imports.ts';
import { groupSshCertificates } from './0861-group-ssh-certificates.ts';
import { helm } from './0880-helm.ts';
import { nuget } from './0881-nuget.ts';
import { composer } from './0890-composer.ts';
import { nothingOnWhatIsGone } from './0900-nothing-on-what-is-gone.ts';
import { openidSignIn } from './0960-openid-sign-in.ts';
import { administratorsByIndex } from './0970-administrators-by-index.ts';
import { commenters } from './0990-commenters.ts';
import { dependencyProxy } from './1015-dependency-proxy.ts';
import { runnerMinutes } from './1020-runner-minutes.ts';
import { pipelinesOfBranches } from './1021-pipelines-of-branches.ts';
import { mirroredPipelines } from './1030-mirrored-pipelines.ts';
import { settledMinutes } from './1031-settled-minutes.ts';
import { rebasedHeads } from './1035-rebased-heads.ts';
import { issuesDueOnADay } from './1040-issues-due-on-a-day.ts';
import { iterationLists } from './1041-iteration-lists.ts';
import { termsOfUse } from './1050-terms.ts';
import { viewedFiles } from './1051-viewed-files.ts';
import { rubygems } from './1055-rubygems.ts';
import { conan } from './1056-conan.ts';
import { endedTokens } from './1060-ended-tokens.ts';
import { busyMirrors } from './1061-busy-mirrors.ts';
import { removedIdentities } from './1062-removed-identities.ts';
import { sizesOfProjects } from './1063-sizes-of-projects.ts';
import { projectAliases } from './1064-project-aliases.ts';
import { promotedIssues } from './1070-promoted-issues.ts';
import { snippetSizes } from './1071-snippet-sizes.ts';
import { issueCreation } from './1072-issue-creation.ts';
import { customRoles } from './1090-custom-roles.ts';
import { milestonesAndActivity } from './1100-milestones-and-activity.ts';
import { jobInputs } from './1120-job-inputs.ts';
import { coverageApprovalRules } from './1121-coverage-approval-rules.ts';
import { debianDistributions } from './1125-debian-distributions.ts';
import { debianFiles } from './1126-debian-files.ts';
import { debianIndexes } from './1127-debian-indexes.ts';
import { retriedAtOnce } from './1140-retried-at-once.ts';
import { samlSignIn } from './1160-saml-sign-in.ts';
import { samlGroupLinks } from './1161-saml-group-links.ts';
import { samlGroupLinkRoles } from './1170-saml-group-link-roles.ts';
import { webhookSigning } from './1171-webhook-signing.ts';
import { variableChanges } from './1172-variable-changes.ts';
import { failedErrorEvents } from './1190-failed-error-events.ts';
import { membershipChanges } from './1200-membership-changes.ts';

/** Every migration, in the order in which they run. */
export const migrations: readonly Migration[] = [
  queue,
  people,
  places,
  labels,
  pushes,
  protectedRefs,
  deploy,
  lfs,
  commits,
  releases,
  health,
  signatures,
  search,
  wholeNames,
  oneGhost,
  applicationSettings,
  planning,
  issues,
  errorTracking,
  issueSearch,
  crossReferences,
  ci,
  registrationTokens,
  errorIssues,
  pipelineNumbers,
  ciVariables,
  snippets,
  mergeRequests,
  remoteMirrors,
  epics,
  iterations,
  iterationEvents,
  webhooks,
  mergeRequestLanding,
  jobQueue,
  triggersAndSchedules,
  noteSearch,
  boards,
  notificationSettings,
  sessions,
  jobArtifacts,
  imports,
  wikis,
  environments,
  resourceGroups,
  epicLinks,
  auditEvents,
  signingKeys,
  secureFiles,
  approvalRules,
  deployedMergeRequests,
  crossReferenceTargets,
  draftNotes,
  milestoneReleases,
  pullMirrors,
  commitNotes,
  outdatedNotes,
  openIssues,
  issueOrders,
  suggestions,
  directoryGroups,
  projectExports,
  mergeRequestBlocks,
  downloads,
  codeOwnerRules,
  planLimits,
  pullMirrorKeys,
  issueLists,
  deployTokenOfJobs,
  tokenExpiryNotices,
  approvalSettingsOfGroups,
  mergeRequestRefs,
  badges,
  placeholderReassignments,
  jobsOfRunners,
  mirrorLetters,
  instanceRegistrationToken,
  unconfirmedAddresses,
  logChecksums,
  fairQueue,
  issueFacts,
  userAgents,
  mergeRequestListIndexes,
  openIssueCounts,
  mergeRequestFacts,
  mergeRequestVersionDue,
  groupApprovalRules,
  eventsOfPeople,
  projectsThatAreNoForks,
  issueConfidentiality,
  relationExports,
  runningImports,
  pipelineAndJobLists,
  appearance,
  flatLists,
  watchersEverywhere,
  mergeRequestDeploymentTimes,
  childPipelineLists,
  deploymentsBrought,
  countedByIndex,
  issueStates,
  listsOfBelongings,
  groupsAroundRoles,
  epicBoards,
  draftLists,
  starsKeysAndContributions,
  filesOfUploads,
  forksByVisibility,
  mergeRequestStates,
  suggestionCommits,
  serviceAccountList,
  groupRelationExports,
  protectedEnvironments,
  contributions,
  directTransfers,
  oauth,
  packages,
  secondFactor,
  requiredSecondFactor,
  featureFlags,
  mergeRequestOrders,
  awaitingMembers,
  packageSearch,
  mergeTrains,
  broadcastMessages,
  keptCounts,
  longTexts,
  deployedUnmerged,
  statusChecks,
  pages,
  supportPins,
  containerRegistry,
  npm,
  inactiveProjects,
  packageProtection,
  keptPeople,
  labelPairs,
  searchAtCommit,
  pypi,
  chats,
  keptIssues,
  invitationSearch,
  topGroups,
  keptGroups,
  metricImages,
  issuesInOrder,
  incomingMail,
  freezePeriods,
  terraformStates,
  maven,
  deploymentsByCommit,
  jiraMentions,
  groupExports,
  groupImports,
  removedApprovalRules,
  mergeRequestLabelPairs,
  issuesDue,
  listsOfAProject,
  groupUploads,
  relationImports,
  groupSshCertificates,
  eventsByPlace,
  activeSchedules,
  nothingOnWhatIsGone,
  helm,
  nuget,
  composer,
  openidSignIn,
  administratorsByIndex,
  commenters,
  dependencyProxy,
  runnerMinutes,
  pipelinesOfBranches,
  mirroredPipelines,
  settledMinutes,
  rebasedHeads,
  issuesDueOnADay,
  iterationLists,
  termsOfUse,
  viewedFiles,
  rubygems,
  conan,
  endedTokens,
  busyMirrors,
  removedIdentities,
  sizesOfProjects,
  projectAliases,
  promotedIssues,
  snippetSizes,
  issueCreation,
  customRoles,
  milestonesAndActivity,
  jobInputs,
  coverageApprovalRules,
  debianDistributions,
  debianFiles,
  debianIndexes,
  retriedAtOnce,
  samlSignIn,
  samlGroupLinks,
  samlGroupLinkRoles,
  webhookSigning,
  variableChanges,
  membershipChanges,
  failedErrorEvents,
];
