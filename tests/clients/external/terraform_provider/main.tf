# One of every resource of the provider that Hearth supports, with commonly used attributes.
# Resource names as of provider release 3.18.

terraform {
  required_providers {
    gitlab = { source = "gitlabhq/gitlab" }
  }
}

variable "round" {
  description = "Everything that can change in place says it."
  type        = string
}

variable "deploy_key" {
  type = string
}

variable "user_key" {
  type = string
}

variable "expires_at" {
  description = "The last day of the tokens."
  type        = string
}

variable "mirror_url" {
  type = string
}

resource "gitlab_application_settings" "this" {
  max_attachment_size = var.round == "first" ? 90 : 91
}

resource "gitlab_instance_variable" "this" {
  key   = "OF_THE_INSTANCE"
  value = "of-the-${var.round}"
}

resource "gitlab_topic" "this" {
  name        = "lamps"
  title       = "Lamps"
  description = "The ${var.round}"
}

resource "gitlab_system_hook" "this" {
  url                      = "https://hooks.example/system"
  token                    = "secret"
  push_events              = true
  merge_requests_events    = true
  enable_ssl_verification  = false
  repository_update_events = true
}

# People

resource "gitlab_user" "ann" {
  name             = "Ann of the ${var.round}"
  username         = "ann"
  email            = "ann@hearth.example"
  password         = "a-long-Passphrase-1"
  is_admin         = false
  can_create_group = true
  projects_limit   = 7
  note             = "from code, the ${var.round}"
}

resource "gitlab_user_sshkey" "ann" {
  user_id = gitlab_user.ann.id
  title   = "laptop"
  key     = var.user_key
}

resource "gitlab_user_custom_attribute" "ann" {
  user  = gitlab_user.ann.id
  key   = "desk"
  value = var.round
}

resource "gitlab_personal_access_token" "ann" {
  user_id = gitlab_user.ann.id
  name    = "robot"
  scopes  = ["read_api"]

  expires_at = var.expires_at
}

# Groups

resource "gitlab_group" "house" {
  name                   = "House"
  path                   = "house"
  description            = "The ${var.round}"
  visibility_level       = "internal"
  project_creation_level = "maintainer"
  share_with_group_lock  = false
}

resource "gitlab_group" "cellar" {
  name      = "Cellar"
  path      = "cellar"
  parent_id = gitlab_group.house.id
}

resource "gitlab_group" "guests" {
  name = "Guests"
  path = "guests"
}

resource "gitlab_group_membership" "ann" {
  group_id     = gitlab_group.house.id
  user_id      = gitlab_user.ann.id
  access_level = var.round == "first" ? "developer" : "maintainer"
}

resource "gitlab_group_share_group" "guests" {
  group_id       = gitlab_group.house.id
  share_group_id = gitlab_group.guests.id
  group_access   = "guest"
}

resource "gitlab_group_label" "bug" {
  group       = gitlab_group.house.id
  name        = "bug"
  color       = var.round == "first" ? "#ff0000" : "#00ff00"
  description = "of the ${var.round}"
}

resource "gitlab_group_variable" "this" {
  group     = gitlab_group.house.id
  key       = "OF_THE_GROUP"
  value     = "of-the-${var.round}"
  protected = true
  masked    = true
}

resource "gitlab_group_badge" "this" {
  group     = gitlab_group.house.id
  link_url  = "https://badges.example/${var.round}"
  image_url = "https://badges.example/image.svg"
}

resource "gitlab_group_hook" "this" {
  group                     = gitlab_group.house.id
  url                       = "https://hooks.example/group/${var.round}"
  push_events               = true
  subgroup_events           = true
  note_events               = true
  push_events_branch_filter = "main"
}

resource "gitlab_group_access_token" "this" {
  group        = gitlab_group.house.id
  name         = "robot"
  access_level = "developer"
  scopes       = ["api"]
  expires_at   = var.expires_at
}

resource "gitlab_group_custom_attribute" "this" {
  group = gitlab_group.house.id
  key   = "floor"
  value = var.round
}

# A project

resource "gitlab_project" "lamp" {
  name                                             = "Lamp"
  path                                             = "lamp"
  namespace_id                                     = gitlab_group.house.id
  description                                      = "The ${var.round}"
  visibility_level                                 = "internal"
  initialize_with_readme                           = true
  default_branch                                   = "main"
  topics                                           = ["lamps", "light"]
  merge_method                                     = "ff"
  squash_option                                    = "default_on"
  only_allow_merge_if_pipeline_succeeds            = var.round == "first"
  only_allow_merge_if_all_discussions_are_resolved = true
  remove_source_branch_after_merge                 = true
  wiki_access_level                                = "private"
  pages_access_level                               = "private"
  build_timeout                                    = 1800
  ci_default_git_depth                             = 10
  ci_config_path                                   = "ci/lamp.yml"
  auto_cancel_pending_pipelines                    = "disabled"
  merge_commit_template                            = "Merge %%{source_branch}"
  lfs_enabled                                      = false
  request_access_enabled                           = false

  push_rules {
    file_name_regex = "[.]exe$"
    prevent_secrets = true
    max_file_size   = 12
  }

  container_expiration_policy {
    enabled         = true
    cadence         = "1month"
    keep_n          = 5
    older_than      = "14d"
    name_regex_keep = "^v"
  }
}

resource "gitlab_project" "copy" {
  name         = "Copy"
  path         = "copy"
  namespace_id = gitlab_group.cellar.id
}

resource "gitlab_project_membership" "ann" {
  project_id   = gitlab_project.copy.id
  user_id      = gitlab_user.ann.id
  access_level = "owner"
}

resource "gitlab_project_share_group" "guests" {
  project_id   = gitlab_project.lamp.id
  group_id     = gitlab_group.guests.id
  group_access = var.round == "first" ? "reporter" : "developer"
}

resource "gitlab_project_variable" "plain" {
  project           = gitlab_project.lamp.id
  key               = "PLAIN"
  value             = "of-the-${var.round}"
  environment_scope = "*"
}

resource "gitlab_project_variable" "scoped" {
  project           = gitlab_project.lamp.id
  key               = "PLAIN"
  value             = "{}"
  variable_type     = "file"
  protected         = true
  environment_scope = "production"
}

resource "gitlab_project_badge" "this" {
  project   = gitlab_project.lamp.id
  link_url  = "https://badges.example/${var.round}"
  image_url = "https://badges.example/%%{project_path}.svg"
  name      = "lamp"
}

resource "gitlab_project_hook" "this" {
  project                    = gitlab_project.lamp.id
  url                        = "https://hooks.example/project"
  token                      = "secret"
  push_events                = false
  merge_requests_events      = true
  confidential_issues_events = var.round == "first"
  job_events                 = true
  releases_events            = true
}

resource "gitlab_project_custom_attribute" "this" {
  project = gitlab_project.lamp.id
  key     = "watts"
  value   = var.round
}

resource "gitlab_deploy_token" "this" {
  project  = gitlab_project.lamp.id
  name     = "images"
  username = "puller"
  scopes   = ["read_registry", "read_repository"]
}

resource "gitlab_deploy_key" "this" {
  project  = gitlab_project.lamp.id
  title    = "machine"
  key      = var.deploy_key
  can_push = false
}

# Its repository

resource "gitlab_repository_file" "ci" {
  project        = gitlab_project.lamp.id
  file_path      = "ci/lamp.yml"
  branch         = "main"
  content        = base64encode("lamp: { script: [echo ${var.round}] }\n")
  commit_message = "Say how it is built"
  author_name    = "Terraform"
  author_email   = "terraform@hearth.example"
}

resource "gitlab_branch" "release" {
  project = gitlab_project.lamp.id
  name    = "release"
  ref     = "main"
}

resource "gitlab_project_tag" "one" {
  project = gitlab_project.lamp.id
  name    = "v1.0.0"
  ref     = "main"
  message = "The first"
}

resource "gitlab_branch_protection" "release" {
  project                      = gitlab_project.lamp.id
  branch                       = "release"
  push_access_level            = "maintainer"
  merge_access_level           = "developer"
  unprotect_access_level       = "maintainer"
  code_owner_approval_required = var.round == "first"

  allowed_to_push {
    user_id = gitlab_user.ann.id
  }

  depends_on = [gitlab_group_membership.ann, gitlab_branch.release]
}

resource "gitlab_tag_protection" "versions" {
  project             = gitlab_project.lamp.id
  tag                 = "v*"
  create_access_level = "maintainer"

  depends_on = [gitlab_project_tag.one]
}

# Planning and review

resource "gitlab_label" "light" {
  project     = gitlab_project.lamp.id
  name        = "light"
  color       = "#ffcc00"
  description = "of the ${var.round}"
}

resource "gitlab_project_milestone" "one" {
  project     = gitlab_project.lamp.id
  title       = "One"
  description = "The ${var.round}"
  due_date    = "2040-01-31"
}

resource "gitlab_project_issue" "dark" {
  project      = gitlab_project.lamp.id
  title        = "It is dark, for the ${var.round} time"
  description  = "Somebody should light it."
  labels       = [gitlab_label.light.name]
  milestone_id = gitlab_project_milestone.one.milestone_id
  due_date     = "2040-01-30"
  confidential = false
  weight       = 3
}

resource "gitlab_project_issue_board" "this" {
  project = gitlab_project.lamp.id
  name    = "Of the ${var.round}"

  lists {
    milestone_id = gitlab_project_milestone.one.milestone_id
  }
}

resource "gitlab_project_level_mr_approvals" "this" {
  project_id                                     = gitlab_project.lamp.id
  reset_approvals_on_push                        = true
  disable_overriding_approvers_per_merge_request = true
  merge_requests_author_approval                 = var.round == "second"
  merge_requests_disable_committers_approval     = true
}

resource "gitlab_project_approval_rule" "owners" {
  project            = gitlab_project.lamp.id
  name               = "owners"
  approvals_required = var.round == "first" ? 1 : 2
  user_ids           = [gitlab_user.ann.id]
  group_ids          = [gitlab_group.guests.id]

  depends_on = [gitlab_group_membership.ann, gitlab_project_share_group.guests]
}

# CI/CD

resource "gitlab_pipeline_schedule" "nightly" {
  project       = gitlab_project.lamp.id
  description   = "Of the ${var.round}"
  ref           = "refs/heads/main"
  cron          = "0 1 * * *"
  cron_timezone = "Berlin"
  active        = false
}

resource "gitlab_pipeline_schedule_variable" "this" {
  project              = gitlab_project.lamp.id
  pipeline_schedule_id = reverse(split(":", gitlab_pipeline_schedule.nightly.id))[0]
  key                  = "WHEN"
  value                = var.round
}

resource "gitlab_pipeline_trigger" "this" {
  project     = gitlab_project.lamp.id
  description = "From the ${var.round}"
}

resource "gitlab_project_environment" "production" {
  project             = gitlab_project.lamp.id
  name                = "production"
  external_url        = "https://${var.round}.example"
  stop_before_destroy = true
}

resource "gitlab_project_protected_environment" "production" {
  project                 = gitlab_project.lamp.id
  environment             = gitlab_project_environment.production.name
  required_approval_count = 1

  deploy_access_levels {
    access_level = "maintainer"
  }
}

resource "gitlab_project_freeze_period" "night" {
  project_id    = gitlab_project.lamp.id
  freeze_start  = var.round == "first" ? "0 22 * * *" : "0 23 * * *"
  freeze_end    = "0 6 * * *"
  cron_timezone = "UTC"
}

resource "gitlab_project_mirror" "elsewhere" {
  project                 = gitlab_project.lamp.id
  url                     = var.mirror_url
  enabled                 = var.round == "first"
  only_protected_branches = true
}

# Data sources

data "gitlab_project" "lamp" {
  path_with_namespace = gitlab_project.lamp.path_with_namespace
}

data "gitlab_group" "house" {
  full_path = gitlab_group.house.full_path
}

data "gitlab_user" "ann" {
  username = gitlab_user.ann.username
}

data "gitlab_branch" "main" {
  project = gitlab_project.lamp.id
  name    = "main"

  depends_on = [gitlab_repository_file.ci]
}

data "gitlab_projects" "house" {
  group_id          = gitlab_group.house.id
  include_subgroups = true

  depends_on = [gitlab_project.lamp, gitlab_project.copy]
}

data "gitlab_repository_file" "ci" {
  project   = gitlab_project.lamp.id
  file_path = gitlab_repository_file.ci.file_path
  ref       = "main"
}

output "read" {
  value = {
    project  = data.gitlab_project.lamp.description
    group    = data.gitlab_group.house.description
    user     = data.gitlab_user.ann.name
    branch   = data.gitlab_branch.main.protected
    projects = sort(data.gitlab_projects.house.projects[*].path_with_namespace)
    file     = base64decode(data.gitlab_repository_file.ci.content)
  }
}
