/** Storage format and default file name of each artifact type. */
const types: Readonly<Record<string, { readonly format: 'zip' | 'gzip' | 'raw'; readonly name: string }>> = {
  archive: { format: 'zip', name: 'artifacts.zip' },
  metadata: { format: 'gzip', name: 'metadata.gz' },
  trace: { format: 'raw', name: 'job.log' },
  junit: { format: 'gzip', name: 'junit.xml' },
  dotenv: { format: 'gzip', name: '.env' },
  cobertura: { format: 'gzip', name: 'cobertura-coverage.xml' },
  jacoco: { format: 'gzip', name: 'jacoco-coverage.xml' },
  metrics: { format: 'gzip', name: 'metrics.txt' },
  metrics_referee: { format: 'gzip', name: 'metrics_referee' },
  network_referee: { format: 'gzip', name: 'network_referee' },
  cyclonedx: { format: 'gzip', name: 'gl-sbom.cdx.json' },
  annotations: { format: 'gzip', name: 'gl-annotations.json' },
  repository_xray: { format: 'gzip', name: 'gl-repository-xray.json' },
  lsif: { format: 'zip', name: 'lsif.json' },
  scip: { format: 'zip', name: 'index.scip' },
  codequality: { format: 'raw', name: 'gl-code-quality-report.json' },
  sast: { format: 'raw', name: 'gl-sast-report.json' },
  secret_detection: { format: 'raw', name: 'gl-secret-detection-report.json' },
  dependency_scanning: { format: 'raw', name: 'gl-dependency-scanning-report.json' },
  container_scanning: { format: 'raw', name: 'gl-container-scanning-report.json' },
  cluster_image_scanning: { format: 'raw', name: 'gl-cluster-image-scanning-report.json' },
  dast: { format: 'raw', name: 'gl-dast-report.json' },
  license_scanning: { format: 'raw', name: 'gl-license-scanning-report.json' },
  coverage_fuzzing: { format: 'raw', name: 'gl-coverage-fuzzing.json' },
  api_fuzzing: { format: 'raw', name: 'gl-api-fuzzing-report.json' },
  accessibility: { format: 'raw', name: 'gl-accessibility.json' },
  performance: { format: 'raw', name: 'performance.json' },
  browser_performance: { format: 'raw', name: 'browser-performance.json' },
  load_performance: { format: 'raw', name: 'load-performance.json' },
  terraform: { format: 'raw', name: 'tfplan.json' },
  requirements: { format: 'raw', name: 'requirements.json' },
  requirements_v2: { format: 'raw', name: 'requirements_v2.json' },
};

/** Maximum size in megabytes of some types, regardless of the settings. */
export const typeLimits: Readonly<Record<string, number>> = {
  lsif: 200,
  scip: 200,
  dependency_scanning: 350,
  container_scanning: 150,
  license_scanning: 100,
  terraform: 5,
  cyclonedx: 1,
};

export const artifactTypes: readonly string[] = Object.keys(types);
export const artifactFormats = ['zip', 'gzip', 'raw'] as const;
export type ArtifactFormat = (typeof artifactFormats)[number];

export function reportFormat(type: string): ArtifactFormat {
  return types[type]?.format ?? 'raw';
}

export function reportName(type: string): string {
  return types[type]?.name ?? type;
}
