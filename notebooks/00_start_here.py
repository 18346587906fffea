# %% [markdown]
# # 0 · Start here
#
# **You will see** whether everything is installed, how an exercise and its check work, and which lessons there are.
# **You need** a little Python. **Time** 5 minutes.
#
# A notebook is a column of *cells*. Click on a cell and press <kbd>Shift</kbd>+<kbd>Enter</kbd>: it runs, and the
# next one is selected. Begin with the cell below.

# %% setup=true
from helpers.checks import check
from helpers.start_here.page import check_installation, list_lessons, live_slider
from helpers.start_here.proof import make_proof

# %% [markdown]
# ## 0.1 Is everything installed?
#
# A green tick on every line means that all is well. A line with a ✗ says what to do.

# %%
check_installation()

# %% [markdown]
# Some lessons have pictures that follow a slider. The next cell draws one. JupyterLab folds such a cell to a line
# that says what you will see, and shows its code if you click on the line. Run it, and move the slider: the number
# beside it is worked out by Python, so if it follows your hand, pictures will too.

# %% draw=true
# Explore: does a slider move?
live_slider()

# %% [markdown]
# ## 0.2 An exercise and its check
#
# In each lesson you write short functions, each with a check below it. The check calls your function on a few
# inputs and compares. When something is wrong, it says what came back, what that usually means, and where to look.
#
# Suppose the task is *return twice x*. Here is an answer by somebody who tried it only on 2. Run it and the check
# below it, and read the message.


# %%
def double_wrong(x):
    return x**2


# %%
check("start_here.double", double_wrong)

# %% [markdown]
# Now you. Replace the line `raise NotImplementedError()` with your own, run the cell, then run the check below it.
# Until you write something, the check says *not written yet*. That isn't a mistake: go on, and come back later.
#
# **Exercise 0.1** · difficulty 1 of 5 · 1 minute · 0 points
#
# **Return twice x.**
#
# <details><summary>Hint 1</summary>How does the function above hand back its result?</details>
# <details><summary>Hint 2</summary>Try it on 3 first: what should come out?</details>
# <details><summary>The idea</summary>Twice x is x times 2. With a tensor, <code>*</code> multiplies every number in it.</details>


# %% exercise="start_here.double"
def double(x):
    """Return twice x, a tensor of any shape."""
    ### BEGIN SOLUTION
    return 2 * x
    ### END SOLUTION


# %% check="start_here.double"
check("start_here.double", double)

# %% [markdown]
# Some questions ask for an answer in words. It goes into a text cell. **Double-click a text cell to open it**,
# write in place of *YOUR ANSWER HERE*, and press <kbd>Shift</kbd>+<kbd>Enter</kbd>. Then run the cell below: it
# shows a model answer, and what earns points in it.
#
# **Question 0.2** · not graded · 1 minute · 0 points
#
# **In a sentence or two: why wasn't it enough to try `double_wrong` on 2, and what would you try instead?**

# %% [markdown] written="start_here.one_input" points=0
# ### BEGIN SOLUTION
# **Model answer.** At 2, x² and 2x are both 4, so this input can't tell the two functions apart. I would try one at
# which they differ, such as 3: 9 instead of 6.
#
# **Rubric**
# - 1 point: x² and 2x are the same at 2.
# - 1 point: names an input at which they differ: any but 0 and 2.
# ### END SOLUTION

# %% [markdown]
# That is all there is to it. Six things are good to know:
#
# - **The check of a function looks at three things.** The values have to be right, in the dtype of the inputs; whole
#   numbers may be of any integer type, and several numbers may come as one tensor. Gradients have to reach every input
#   that the result depends on. And the arguments have to stay as they were, unless the text says that they change.
# - **Run a check as often as you like.** It costs nothing, and only what you hand in is graded.
# - **The grade** comes from new inputs of the same kind. A right function passes with those, too. It loses no points
#   if only an earlier answer that it calls is wrong.
# - **Predict, then look.** Before some pictures you say what you expect. Run the cell below such a question, and
#   click on an answer.
# - **Cells with a check are locked.** Try things in cells of your own: <kbd>Esc</kbd>, then <kbd>B</kbd>, adds one.
# - **Lost?** *Kernel → Restart Kernel and Run All Cells* starts afresh and keeps what you wrote.
#
# ## 0.3 Your lessons
#
# Your progress is kept, even after you close JupyterLab. Run the cell below again to see where you are, and click on a
# lesson to open it.

# %%
list_lessons()

# %% [markdown]
# ## 0.4 A proof of your work
#
# To show what you have done, say in an application or to a study group, save your notebooks, write your name between
# the quotation marks, and run this cell. It makes one page, `proof.html`, beside this notebook, which lists what
# passed, since when, and by which version of the checks. The command `headstart proof` compares the page with your
# notebooks. The page can't prove that you wrote them, and it says so.

# %% draw="open"
make_proof("")
