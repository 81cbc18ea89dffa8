// Written by Jurat (e8e47dd0652345fc). Edit it and it is yours: Jurat leaves edited files alone.
package org.apache.commons.validator;

import org.junit.jupiter.api.Test;

class ValidatorResourcesFindingTest {

    @Test
    void getForm_throwsNullPointerException() {
        ValidatorResources validatorResources = new ValidatorResources();
        // ValidatorResources.getForm() throws NullPointerException although nothing here is null
        validatorResources.getForm("a", "a", "a", "a");
    }
}
