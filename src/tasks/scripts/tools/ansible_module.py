"""Ansible module `kestra`: declares outputs of the task that runs the playbook."""

from ansible.module_utils.basic import AnsibleModule

DOCUMENTATION = """
module: kestra
short_description: declares outputs of the task that runs the playbook
description:
  - A later value of the same name replaces an earlier one, whichever host it comes from.
options:
  outputs:
    description: Values by name.
    type: dict
    required: true
author:
  - Sluice
"""

EXAMPLES = """
- kestra:
    outputs:
      records: "{{ records | length }}"
"""


def main():
    module = AnsibleModule(argument_spec={"outputs": {"type": "dict", "required": True}}, supports_check_mode=True)
    module.exit_json(changed=False, outputs=module.params["outputs"])


if __name__ == "__main__":
    main()
