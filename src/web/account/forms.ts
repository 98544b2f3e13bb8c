import type { SettingsForm } from '../forms/settings-form.ts';

export const notifications: SettingsForm = {
  path: '/-/profile/notifications',
  title: 'Notifications',
  intro: 'The emails that you receive. Each project can override this on its page.',
  api: '/notification_settings',
  method: 'PUT',
  fields: [
    {
      name: 'level',
      label: 'Notify me about',
      kind: 'select',
      options: [
        ['participating', 'Items I participate in'],
        ['watch', 'Everything in my projects'],
        ['mention', 'Mentions'],
        ['custom', 'Custom'],
        ['disabled', 'Nothing'],
      ],
    },
  ],
};

export const preferences: SettingsForm = {
  path: '/-/profile/preferences',
  title: 'Preferences',
  intro: 'Choose between light, dark and high contrast at the bottom of every page.',
  api: '/user/preferences',
  method: 'PUT',
  fields: [
    { name: 'view_diffs_file_by_file', label: 'Show one changed file at a time', kind: 'check' },
    { name: 'show_whitespace_in_diffs', label: 'Show whitespace changes', kind: 'check' },
  ],
};
