import type { Page } from '../frame/visit.ts';
import { projectPage } from '../namespaces/project.ts';
import { blamePage, blobPage } from './blob.ts';
import { pickPages } from './cherry-pick.ts';
import { commitCommentPages } from './commit-comments.ts';
import { editPages } from './edit.ts';
import { commitPage, commitsPage, comparePage } from './history.ts';
import { networkPage } from './network.ts';
import { refsPage } from './ref-menu.ts';
import { branchesPage, createBranch, removeBranch } from './refs.ts';
import { releasePages } from './releases.ts';
import { projectSearchPages } from './search.ts';
import { tagPages } from './tags.ts';
import { findFilePage, treePage } from './tree.ts';

export const codePages: readonly Page[] = [
  projectPage({ path: '/:project/-/tree', show: treePage }),
  projectPage({ path: '/:project/-/tree/*address', show: treePage }),
  projectPage({ path: '/:project/-/blob/*address', show: blobPage }),
  projectPage({ path: '/:project/-/blame/*address', show: blamePage }),
  projectPage({ path: '/:project/-/find_file/*address', show: findFilePage }),
  projectPage({ path: '/:project/-/commits', show: commitsPage }),
  projectPage({ path: '/:project/-/commits/*address', show: commitsPage }),
  projectPage({ path: '/:project/-/commit/:sha', show: commitPage }),
  projectPage({ path: '/:project/-/compare', show: comparePage }),
  projectPage({ path: '/:project/-/compare/*address', show: comparePage }),
  projectPage({ path: '/:project/-/network', show: networkPage }),
  projectPage({ path: '/:project/-/network/*address', show: networkPage }),
  projectPage({ path: '/:project/-/refs', show: refsPage }),
  projectPage({ path: '/:project/-/branches', show: (context) => branchesPage(context) }),
  projectPage({ method: 'POST', path: '/:project/-/branches', show: createBranch }),
  projectPage({ method: 'POST', path: '/:project/-/branches/remove', show: removeBranch }),
  ...tagPages,
  ...commitCommentPages,
  ...pickPages,
  ...editPages,
  ...releasePages,
  ...projectSearchPages,
];
