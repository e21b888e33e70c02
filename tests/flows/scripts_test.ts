/** Users' flows with scripts: real processes of the machine, as where no container runtime is. */
import { testUserFlows } from "./user_flow_tests.ts";

testUserFlows({ machine: "with scripts", groups: ["languages", "python", "shell", "zoomcamp"] });
