/** `terraform.cli.TerraformCLI`. https://developer.hashicorp.com/terraform/cli/config/environment-variables */
import { cliTask } from "./cli_type.ts";

/** The defaults of script tasks are those of this type. */
export const terraformCliTask = cliTask({
  type: "terraform.cli.TerraformCLI",
  title: "Run Terraform",
  description:
    "Runs commands with Terraform. Credentials of providers and values of variables come from `env`.",
  image: "hashicorp/terraform",
  examples: [{
    title: "Apply a configuration of the namespace files",
    yaml: `id: terraform
type: io.kestra.plugin.terraform.cli.TerraformCLI
namespaceFiles:
  enabled: true
beforeCommands:
  - terraform init -input=false
commands:
  - terraform apply -input=false -auto-approve
env:
  TF_VAR_region: eu-central-1
  AWS_ACCESS_KEY_ID: "{{ secret('AWS_ACCESS_KEY_ID') }}"
  AWS_SECRET_ACCESS_KEY: "{{ secret('AWS_SECRET_ACCESS_KEY') }}"`,
  }],
});
