import { isStatus, type Status } from '../states/public.ts';

interface StatusStyle {
  readonly icon: string;
  readonly favicon: string;
  readonly text: string;
  readonly label: string;
  readonly group: string;
}

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

function defaultStyle(status: string): StatusStyle {
  return { icon: status, favicon: status, text: capitalized(status), label: status, group: status };
}

const styles: Readonly<Partial<Record<Status, StatusStyle>>> = {
  success: { ...defaultStyle('success'), text: 'Passed', label: 'passed' },
  canceling: { ...defaultStyle('canceling'), icon: 'canceled', favicon: 'canceled' },
  waiting_for_resource: {
    ...defaultStyle('pending'),
    text: 'Waiting',
    label: 'waiting for resource',
    group: 'waiting-for-resource',
  },
  waiting_for_callback: {
    ...defaultStyle('pending'),
    text: 'Waiting',
    label: 'waiting for callback',
    group: 'waiting-for-callback',
  },
  manual: { ...defaultStyle('manual'), text: 'Blocked', label: 'waiting for manual action' },
  scheduled: { ...defaultStyle('scheduled'), text: 'Delayed', label: 'waiting for delayed job' },
};

const passedWithWarnings: StatusStyle = {
  icon: 'warning',
  favicon: 'success',
  text: 'Warning',
  label: 'passed with warnings',
  group: 'success-with-warnings',
};

/** Presentation of a pipeline status; `path` is the path of the pipeline page. */
export function detailedStatus(status: string, warnings: boolean, path: string, externalUrl: string) {
  const style =
    status === 'success' && warnings
      ? passedWithWarnings
      : ((isStatus(status) ? styles[status] : undefined) ?? defaultStyle(status));
  return {
    icon: `status_${style.icon}`,
    text: style.text,
    label: style.label,
    group: style.group,
    tooltip: style.label,
    has_details: true,
    details_path: path,
    illustration: null,
    favicon: `${externalUrl}/assets/ci_favicons/favicon_status_${style.favicon}.png`,
  };
}
