import { PageConfig } from '@jupyterlab/coreutils';
import { leaveUntracked } from '../untrackedMessages';

const OPTION = 'untracked_message_types';

it('adds its type once to what the server lists', () => {
  PageConfig.setOption(OPTION, '["comm_info_request"]');
  leaveUntracked('refine_request');
  leaveUntracked('refine_request');
  expect(JSON.parse(PageConfig.getOption(OPTION))).toEqual([
    'comm_info_request',
    'refine_request'
  ]);
});

it('makes the list where an older server gives none', () => {
  PageConfig.setOption(OPTION, '');
  leaveUntracked('refine_request');
  expect(PageConfig.getOption(OPTION)).toBe('["refine_request"]');
});
