/** `notifications.teams.TeamsExecution`. */
import { dynamicText } from "../../model/flows/schema.ts";
import { defineTask, optionalText } from "../../model/tasks/task_definition.ts";
import { composeMessage, EXECUTION_PROPERTIES } from "./execution_message.ts";
import { postToTeams } from "./teams_message.ts";
import { payloadOf } from "./webhook.ts";

/** A MessageCard, which connectors and workflows accept. */
export const teamsExecution = defineTask({
  type: "notifications.teams.TeamsExecution",
  aliases: ["teams.TeamsExecution"],
  title: "Report on an execution in Teams",
  description:
    "Sends a message about an execution, with its state, duration and address, to a webhook of Microsoft Teams.",
  properties: {
    ...EXECUTION_PROPERTIES,
    activityTitle: dynamicText("Title of the message; default names flow and state."),
    activitySubtitle: dynamicText("Second line of the message."),
    themeColor: dynamicText("Colour of the message, six hexadecimal digits; default is that of the state."),
  },
  async run(context) {
    const { activityTitle, activitySubtitle, themeColor, payload } = context.properties;
    const { title, text, fields, color, execution } = await composeMessage(context);
    const shownTitle = optionalText(activityTitle) ?? title;
    await postToTeams(context, {
      "@type": "MessageCard",
      "@context": "https://schema.org/extensions",
      themeColor: optionalText(themeColor) ?? color,
      summary: shownTitle,
      sections: [{
        activityTitle: shownTitle,
        ...activitySubtitle === undefined ? {} : { activitySubtitle },
        ...text === undefined ? {} : { text },
        facts: fields.map(({ name, value }) => ({ name, value })),
        markdown: true,
      }],
      ...execution.url === undefined ? {} : {
        potentialAction: [{
          "@type": "OpenUri",
          name: "Open the execution",
          targets: [{ os: "default", uri: execution.url }],
        }],
      },
      ...payloadOf(payload),
    });
  },
});
