import type { Area } from '../../access/area.ts';
import { artifactJobs, eraseArtifacts, followPipeline, removeWithPipeline, removeWithProject } from './background.ts';
import { includedFile } from './included-file.ts';
import { artifactRoutes } from './routes.ts';
import { runnerArtifactRoutes } from './runner/routes.ts';

export const artifacts: Area = {
  name: 'artifacts',
  routes: (services, gates) => [...artifactRoutes(services, gates), ...runnerArtifactRoutes(services, gates)],
  jobs: artifactJobs,
  on: {
    'job.erased': eraseArtifacts,
    'pipeline.changed': followPipeline,
    'pipeline.removed': removeWithPipeline,
    'project.removed': removeWithProject,
  },
  contributes: { 'pipelines.artifactFile': includedFile },
};
