import { isStatus, type Status } from '../states/public.ts';

interface Look {
  readonly icon: string;
  readonly favicon: string;
  readonly text: string;
  readonly label: string;
  readonly group: string;
}

const capitalized = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

function plain(status: string): Look {
  return { icon: status, favicon: status, text: capitalized(status), label: status, group: status };
}

const special: Readonly<Partial<Record<Status, Look>>> = {
  success: { ...plain('success'), text: 'Passed', label: 'passed' },
  canceling: { ...plain('canceling'), icon: 'canceled', favicon: 'canceled' },
  waiting_for_resource: {
    ...plain('pending'),
    text: 'Waiting',
    label: 'waiting for resource',
    group: 'waiting-for-resource',
  },
  waiting_for_callback: {
    ...plain('pending'),
    text: 'Waiting',
    label: 'waiting for callback',
    group: 'waiting-for-callback',
  },
  manual: { ...plain('manual'), text: 'Blocked', label: 'waiting for manual action' },
  scheduled: { ...plain('scheduled'), text: 'Delayed', label: 'waiting for delayed job' },
};

const warned: Look = {
  icon: 'warning',
  favicon: 'success',
  text: 'Warning',
  label: 'passed with warnings',
  group: 'success-with-warnings',
};

/** How the state of a pipeline is shown; `path` is that of its page. */
export function detailedStatus(status: string, warnings: boolean, path: string, externalUrl: string) {
  const look =
    status === 'success' && warnings ? warned : ((isStatus(status) ? special[status] : undefined) ?? plain(status));
  return {
    icon: `status_${look.icon}`,
    text: look.text,
    label: look.label,
    group: look.group,
    tooltip: look.label,
    has_details: true,
    details_path: path,
    illustration: null,
    favicon: `${externalUrl}/assets/ci_favicons/favicon_status_${look.favicon}.png`,
  };
}
